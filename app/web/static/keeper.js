/** The keeper of one card: follows its upload, and does what its buttons say. */

import { announce } from "./announce.js";
import { Problem, ask } from "./ask.js";
import { draw, drawTrouble, part } from "./card.js";
import { learn } from "./formats.js";
import { follow } from "./follow.js";
import { forget, keep } from "./shelf.js";

// A small picture is ready before a second is over: one look comes sooner than the service asks for.
const SOON_SECONDS = 0.3;

/** Keep `card` true to the upload that `document` describes, until it is deleted. */
export function keepTrue(card, upload, { isNew = false, drawn = () => {}, left = leave } = {}) {
  const keeper = new Keeper(card, upload, { drawn, left });
  card.addEventListener("submit", (event) => keeper.submit(event));
  part(card, "delete").addEventListener("click", () => keeper.remove());
  keeper.followOn(isNew ? SOON_SECONDS : 0);
  // The select of other formats can only be filled once they are known.
  learn().then(() => keeper.redraw(), () => {});
}

class Keeper {
  constructor(card, upload, { drawn, left }) {
    Object.assign(this, { card, upload, drawn, left, following: null, isAsking: false });
  }

  /** Draw what the service says now, and remember it. */
  changed(upload) {
    this.upload = upload;
    keep(upload);
    draw(this.card, upload);
    this.drawn(upload);
  }

  redraw() {
    if (this.upload?.jobs) draw(this.card, this.upload);
  }

  /** Follow from now on; an earlier following ends. */
  followOn(after = SOON_SECONDS) {
    this.following?.abort();
    this.following = new AbortController();
    follow(this.upload.links.self, {
      after,
      signal: this.following.signal,
      changed: (upload) => this.changed(upload),
      gone: (problem) => this.gone(problem),
    });
  }

  gone(problem) {
    forget(this.upload.id);
    drawTrouble(this.card, [problem.message, problem.hint].filter(Boolean).join(" "));
    this.card.querySelectorAll("form, [data-part='download']").forEach((element) => (element.hidden = true));
    this.upload = null;
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
    if (this.upload) forget(this.upload.id);
    announce(`${part(this.card, "name").textContent} is deleted.`);
    this.left(this.card);
  }

  tell(problem) {
    if (!(problem instanceof Problem)) throw problem;
    const text = [problem.message, problem.hint].filter(Boolean).join(" ");
    drawTrouble(this.card, text);
    announce(text);
  }
}

function leave(card) {
  const next = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  (next?.querySelector("a[href], button") ?? document.getElementById("file"))?.focus();
}
