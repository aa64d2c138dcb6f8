/** The keeper of one upload: follows it, draws it when it has a card, does what its buttons say. */

import { announce, announceOne } from "./announce.js";
import { Problem, ask } from "./ask.js";
import { draw, drawTrouble, keepingFocus, part } from "./card.js";
import { followListed } from "./crowd.js";
import { learn } from "./formats.js";
import { follow, isOpen } from "./follow.js";
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
    Object.assign(this, { upload, isNew, drawn, left });
    Object.assign(this, { card: null, following: null, isAsking: false, isLeaving: false, refusal: "" });
    if (upload.jobs) this.note();
    if (isNew || !upload.jobs || this.isOpen) this.followOn(this.soon);
  }

  get address() {
    return this.upload?.links.self ?? null;
  }

  get isOpen() {
    return isOpen(this.upload);
  }

  get soon() {
    return this.isNew ? SOON_SECONDS : 0;
  }

  /** Show it in a card from now on. */
  show(card) {
    this.card = card;
    card.addEventListener("submit", (event) => this.submit(event));
    part(card, "delete").addEventListener("click", () => this.remove());
    part(card, "copy").addEventListener("click", () => this.copy());
    if (this.following) this.followOn(this.soon); // from here on more closely
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
    if (!this.card || !this.upload?.jobs) return;
    draw(this.card, this.upload);
    if (this.refusal) drawTrouble(this.card, this.refusal);
  }

  note() {
    if (this.isNew) noteState(this, STATES[this.upload.status] ?? "sent");
    noteResults(this, this.upload.jobs.some(({ result }) => result));
  }

  /** Follow from now on, as closely as it is looked at; an earlier following ends. */
  followOn(after = SOON_SECONDS, { isAlone = this.card !== null } = {}) {
    this.following?.abort();
    const following = new AbortController();
    this.following = following;
    const { signal } = following;
    const changed = (upload) => this.changed(upload);
    const refused = (problem) => this.refused(problem);
    const missed = () => this.followOn(0, { isAlone: true });
    const ends = isAlone ? follow(this.address, { after, signal, changed, refused }) : followListed(this.address, { signal, changed, missed });
    ends.finally(() => {
      if (this.following === following) this.following = null;
    });
  }

  /** Say why it cannot be followed; what is still there is followed on once somebody comes back. */
  refused(problem) {
    if (problem.isGone) this.gone(problem);
    else if (this.card) drawTrouble(this.card, problem.text);
  }

  gone(problem) {
    this.upload = null;
    noteResults(this, false);
    if (!this.card) {
      this.left();
      return;
    }
    drawTrouble(this.card, problem.text);
    announceOne(problem.text);
    keepingFocus(this.card, () => {
      this.card.querySelectorAll("form, [data-part='download'], [data-part='all']").forEach((element) => (element.hidden = true));
      for (const name of ["look", "copy", "another"]) part(this.card, name).toggleAttribute("data-still", true);
    });
  }

  /** Do what one of the card's forms asks: again, cancel, another format. */
  async submit(event) {
    event.preventDefault();
    if (this.isAsking) return;
    this.isAsking = true; // not `disabled`: a button that is disabled loses the focus
    this.press();
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
    if (!this.isLeaving) this.followOn();
  }

  /** A button is pressed: what the one before was refused is not said any longer. */
  press() {
    this.refusal = "";
    this.redraw();
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
    if (this.isLeaving) return;
    this.isLeaving = true;
    this.press();
    this.following?.abort();
    try {
      if (this.upload) await ask(this.upload.links.self, { method: "DELETE" });
    } catch (problem) {
      if (!problem.isGone) {
        this.isLeaving = false;
        this.tell(problem);
        this.followOn();
        return;
      }
    }
    this.end();
    announce(say("card.deleted", { name: part(this.card, "name").textContent }));
    this.left();
  }

  /** Keep it no longer: it is deleted, or somebody else keeps it. */
  end() {
    this.following?.abort();
    noteState(this, null);
    noteResults(this, false);
  }

  /** Say what a button was refused, until the next is pressed. */
  tell(problem) {
    if (!(problem instanceof Problem)) throw problem;
    this.refusal = problem.text;
    drawTrouble(this.card, problem.text);
    announce(problem.text);
  }
}
