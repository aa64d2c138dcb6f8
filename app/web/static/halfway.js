/** An upload that was begun and whose file this page does not have: it waits for a person to choose it. */

import { Problem, ask } from "./ask.js";
import { announce } from "./announce.js";
import { drawSending, part } from "./card.js";
import { tellUnfinished } from "./told.js";
import { discard } from "./tus.js";
import { ended, isOf } from "./unfinished.js";
import { WORDS } from "./words.js";

export class Halfway {
  /** `came(document)` is called if the service has all of it, `left()` once it is taken away. */
  constructor(one, { came, left }) {
    Object.assign(this, { one, came, left, card: null, there: 0 });
    this.listening = new AbortController();
    this.look();
  }

  show(card) {
    this.card = card;
    const { signal } = this.listening;
    part(card, "delete").addEventListener("click", () => this.remove(), { signal });
    this.draw();
  }

  isOf(file) {
    return isOf(this.one, file);
  }

  /** Let another holder have the card; return the way of the upload. */
  letGo() {
    this.listening.abort();
    ended(this.one.address);
    return this.one;
  }

  async look() {
    try {
      const { said } = await ask(this.one.address);
      if (this.listening.signal.aborted) return;
      if (said.status !== "receiving") {
        this.letGo();
        this.came(said);
        return;
      }
      this.there = said.received;
      this.draw();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.passes || this.listening.signal.aborted) return;
      this.letGo();
      this.left();
    }
  }

  remove() {
    this.letGo();
    discard(this.one.address).catch(() => {});
    announce(WORDS.notSent(this.one.name));
    this.left();
  }

  draw() {
    const { name, size, to } = this.one;
    if (this.card) drawSending(this.card, this.one, to, tellUnfinished({ there: this.there, total: size, name }));
  }
}
