/** A person's uploads: those that the service lists and those that this browser remembers, each of them once. */

import { Problem } from "./ask.js";
import { Halfway } from "./halfway.js";
import { insist } from "./insist.js";
import { Keeper } from "./keeper.js";
import { Place } from "./list.js";
import { unfinished, watchUnfinished } from "./unfinished.js";

const FIRST = "/uploads?limit=30";

export class Mine {
  /** `resume(place, file, one)` is called when the file of a halfway one is there again. */
  constructor(list, { resume, refused }) {
    Object.assign(this, { list, resume, refused, next: FIRST, turn: Promise.resolve(), isLooking: false });
    list.older = () => this.older();
  }

  /** Show what is remembered at once, then what the service has; look again whenever somebody comes back. */
  begin() {
    this.remember();
    this.older();
    watchUnfinished(() => this.remember());
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.refresh());
  }

  /** Add those that are older than the last one that was listed. */
  older() {
    return this.asked(() => this.next, ({ uploads, links }) => {
      this.next = links.next;
      this.list.hasOlder = links.next !== null;
      this.list.putLast(this.fresh(uploads));
    });
  }

  /** Add what other tabs and devices have sent meanwhile, and look after what is not listed any more. */
  async refresh() {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.asked(() => FIRST, ({ uploads, links }) => this.compare(uploads, links));
    } finally {
      this.isLooking = false;
    }
  }

  compare(uploads, links) {
    const listed = new Map(uploads.map((upload) => [upload.links.self, upload]));
    const oldest = links.next ? uploads.at(-1).created_at : "";
    const keepers = this.list.places.map(({ holder }) => holder).filter((holder) => holder instanceof Keeper);
    for (const keeper of keepers) keeper.compare(listed.get(keeper.address), oldest);
    for (const { holder } of this.list.places) if (holder instanceof Halfway) holder.lookAgain();
    this.list.putFirst(this.fresh(uploads));
  }

  /** Give `place` its upload; a list that came meanwhile may have shown it already. */
  keep(place, upload, { isNew = false } = {}) {
    const isDouble = (other) => other !== place && other.holder?.address === upload.links.self;
    for (const double of this.list.places.filter(isDouble)) {
      double.holder.end(); // or it would come for the card later
      this.list.remove(double);
    }
    place.held(new Keeper(upload, { isNew, left: () => this.list.remove(place) }));
    return place;
  }

  remember() {
    const missing = unfinished().filter(({ address }) => !this.list.find(address));
    this.list.putFirst(missing.map((one) => this.halfway(one)));
  }

  fresh(uploads) {
    const fresh = uploads.filter((upload) => !this.list.find(upload.links.self) && !this.isBegun(upload));
    return fresh.map((upload) => this.placed(upload));
  }

  /** Whether it may be what this page has begun and of which the answer is still on its way. */
  isBegun(upload) {
    return isHalfway(upload) && this.list.places.some(({ holder }) => holder.mayBe?.(upload));
  }

  placed(upload) {
    const { name, size, links } = upload;
    if (isHalfway(upload)) return this.halfway({ address: links.self, name, size, to: "" });
    return this.keep(new Place(), upload);
  }

  halfway(one) {
    const place = new Place();
    const came = (upload) => this.keep(place, upload);
    const found = (file) => this.resume(place, file, place.holder.letGo());
    place.held(new Halfway(one, { came, found, left: () => this.list.remove(place) }));
    return place;
  }

  /** Ask one question after the other: each answer is brought together with what the one before has left. */
  asked(path, taken) {
    this.turn = this.turn.catch(() => {}).then(async () => {
      try {
        taken(await insist(path()));
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        this.refused(problem);
      }
    });
    return this.turn;
  }
}

function isHalfway({ status, error }) {
  return status === "receiving" && !error;
}
