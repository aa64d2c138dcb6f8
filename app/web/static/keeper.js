/** The keeper of one upload: follows it, draws it when it has a card, does what its buttons say. */

import { announce } from "./announce.js";
import { Problem, ask } from "./ask.js";
import { draw, drawTrouble, part } from "./card.js";
import { learn } from "./formats.js";
import { follow } from "./follow.js";
import { copyLink } from "./link.js";
import { noteState } from "./tally.js";
import { say } from "./words.js";
import { noteResults } from "./zip.js";

// A small picture is ready before a second is over: one look comes sooner than the service asks for.
const SOON_SECONDS = 0.3;
const STATES = { ready: "ready", failed: "failed", cancelled: "ended", expired: "ended", deleted: "ended" };

export class Keeper {
  /** `isNew` uploads are of this visit: they are counted. One without jobs is known by its address alone. */
  constructor(upload, { isNew = false, drawn = () => {}, left }) {
    Object.assign(this, { upload, isNew, drawn, left, card: null, following: null, isAsking: false });
    if (upload.jobs) this.note();
    if (isNew) this.followOn();
    else if (!upload.jobs || this.isOpen) this.followOn(0);
  }

  get address() {
    return this.upload?.links.self ?? null;
  }

  get isOpen() {
    return ["receiving", "converting"].includes(this.upload.status);
  }

  /** Show it in a card from now on. */
  show(card) {
    this.card = card;
    card.addEventListener("submit", (event) => this.submit(event));
    part(card, "delete").addEventListener("click", () => this.remove());
    part(card, "copy").addEventListener("click", () => this.copy());
    this.redraw();
    // The select of other formats can only be filled once they are known.
    learn().then(() => this.redraw(), () => {});
  }

  /** Draw what the service says now. */
  changed(upload) {
    this.upload = upload;
    this.note();
    this.redraw();
    this.drawn(upload);
  }

  /** Take what a new list says; what it leaves out, although it is not older than `oldest`, is asked for by itself. */
  compare(listed, oldest) {
    if (listed) this.changed(listed);
    const isMissing = !listed && this.upload?.created_at >= oldest;
    if (isMissing || (listed && this.isOpen)) this.lookAgain();
  }

  /** Ask how it stands now, unless that is being asked anyway. */
  lookAgain() {
    if (this.upload && !this.following) this.followOn(0);
  }

  redraw() {
    if (this.card && this.upload?.jobs) draw(this.card, this.upload);
  }

  note() {
    if (this.isNew) noteState(this, STATES[this.upload.status] ?? "sent");
    noteResults(this, this.upload.jobs.some(({ result }) => result));
  }

  /** Follow from now on; an earlier following ends. */
  followOn(after = SOON_SECONDS) {
    this.following?.abort();
    const following = new AbortController();
    this.following = following;
    follow(this.address, {
      after,
      signal: following.signal,
      changed: (upload) => this.changed(upload),
      gone: (problem) => this.gone(problem),
    }).finally(() => {
      if (this.following === following) this.following = null;
    });
  }

  gone(problem) {
    this.upload = null;
    noteResults(this, false);
    if (!this.card) {
      this.left();
      return;
    }
    drawTrouble(this.card, textOf(problem));
    this.card.querySelectorAll("form, [data-part='download']").forEach((element) => (element.hidden = true));
    for (const name of ["look", "copy"]) part(this.card, name).toggleAttribute("data-still", true);
  }

  /** Do what one of the card's forms asks: again, cancel, another format. */
  async submit(event) {
    event.preventDefault();
    if (this.isAsking) return;
    this.isAsking = true; // not `disabled`: a button that is disabled loses the focus
    const form = event.target;
    try {
      const { said } = await ask(form.action, { method: "POST", fields: [...new FormData(form)] });
      this.changed(said);
      if (form.dataset.part === "convert") this.closeAnother();
    } catch (problem) {
      this.tell(problem);
    } finally {
      this.isAsking = false;
    }
    this.followOn();
  }

  closeAnother() {
    const another = part(this.card, "another");
    if (another.contains(document.activeElement)) another.querySelector("summary").focus();
    another.open = false;
  }

  copy() {
    if (this.upload) copyLink(this.upload.links.self, (text) => (part(this.card, "copied").textContent = text));
  }

  async remove() {
    this.following?.abort();
    try {
      if (this.upload) await ask(this.upload.links.self, { method: "DELETE" });
    } catch (problem) {
      if (![404, 410].includes(problem.status)) {
        this.tell(problem);
        this.followOn();
        return;
      }
    }
    noteState(this, null);
    noteResults(this, false);
    announce(say("card.deleted", { name: part(this.card, "name").textContent }));
    this.left();
  }

  tell(problem) {
    if (!(problem instanceof Problem)) throw problem;
    drawTrouble(this.card, textOf(problem));
    announce(textOf(problem));
  }
}

function textOf(problem) {
  return [problem.message, problem.hint].filter(Boolean).join(" ");
}
