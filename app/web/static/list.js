/** The list of a person's files: any number of them, of which as many have a card as are looked at. */

import { newCard } from "./card.js";
import { say } from "./words.js";

const STEP = 30;

/** One place in the list; whoever holds it (a Sending, then a Keeper) draws its card. */
export class Place {
  card = null;
  holder = null;

  held(holder) {
    this.holder = holder;
    if (this.card) holder.show(this.card);
  }

  show() {
    this.card ??= newCard();
    this.holder?.show(this.card);
    return this.card;
  }
}

export class List {
  /** `more` is the button that shows more of them. */
  constructor({ section, cards, more, otherwise }) {
    Object.assign(this, { section, cards, more, otherwise, places: [], most: STEP, hasOlder: false });
    more.addEventListener("click", () => this.showMore());
  }

  /** Return the place that holds the upload of this address. */
  find(address) {
    return this.places.find(({ holder }) => holder?.address === address);
  }

  /** Put new places before all others. */
  putFirst(places) {
    this.places.unshift(...places);
    this.most = Math.max(STEP, this.cards.childElementCount + Math.min(places.length, STEP));
    this.cards.prepend(...places.slice(0, STEP).map((place) => place.show()));
    this.redraw();
  }

  putLast(places) {
    this.places.push(...places);
    this.redraw();
  }

  remove(place) {
    const index = this.places.indexOf(place);
    if (index < 0) return;
    this.places.splice(index, 1);
    const { card } = place;
    if (card) {
      const next = card.nextElementSibling ?? card.previousElementSibling;
      const hadFocus = card.contains(document.activeElement) || document.activeElement === document.body;
      card.remove();
      if (hadFocus) (next?.querySelector("a[href], button:not([hidden])") ?? this.otherwise).focus();
    }
    this.redraw();
  }

  /** Show more of them; once there are no more here, `older()` has to bring some. */
  async showMore() {
    const last = this.cards.lastElementChild;
    if (this.cards.childElementCount === this.places.length) await this.older();
    this.most = this.cards.childElementCount + STEP;
    this.redraw();
    last?.nextElementSibling?.querySelector("a[href], summary, button:not([hidden])")?.focus();
  }

  /** Give a card to as many as are to be seen; those that have one keep it. */
  redraw() {
    let before = null;
    let seen = 0;
    for (const place of this.places) {
      if (!place.card && seen >= this.most) break;
      if (!place.card) this.cards.insertBefore(place.show(), before ? before.nextSibling : this.cards.firstChild);
      before = place.card;
      seen += 1;
    }
    const left = this.places.length - this.cards.childElementCount;
    this.more.hidden = left <= 0 && !this.hasOlder;
    this.more.textContent = left > 0 ? say("files.more_of", { count: Math.min(left, STEP) }) : say("files.older");
    this.section.hidden = !this.places.length && !this.hasOlder;
  }
}
