/** An upload that was begun and whose file this page does not have: it waits for a person to choose it. */

import { announce } from "./announce.js";
import { drawSending, drawTrouble, part } from "./card.js";
import { follow } from "./follow.js";
import { handleOf, opened } from "./handles.js";
import { copyLink } from "./link.js";
import { silenceOf } from "./silence.js";
import { tellComing, tellUnfinished } from "./told.js";
import { discard } from "./tus.js";
import { ended, isOf } from "./unfinished.js";
import { say } from "./words.js";

export class Halfway {
  /**
   * `came(document)` is called if the service has all of it, `found(file)` when its file was opened
   * again, `left()` once it is taken away.
   */
  constructor(one, { came, found, left }) {
    Object.assign(this, { one, came, found, left, card: null, handle: null, there: null, isComing: false });
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.heard = silenceOf(() => this.draw({ isComing: false }), signal);
    follow(one.address, { after: 0, signal, changed: (said) => this.changed(said), gone: () => this.gone() });
    handleOf(one.address).then((handle) => this.draw({ handle }));
  }

  get address() {
    return this.one.address;
  }

  show(card) {
    this.card = card;
    card.addEventListener("click", (event) => this.click(event), { signal: this.listening.signal });
    this.draw();
  }

  click(event) {
    const asked = event.target.dataset.part;
    if (asked === "delete") this.remove();
    if (asked === "pause") this.open();
    if (asked === "copy") copyLink(this.address, (text) => (part(this.card, "copied").textContent = text));
  }

  isOf(file) {
    return isOf(this.one, file);
  }

  /** Let another holder have the card; return the way of the upload. */
  letGo() {
    this.listening.abort();
    return this.one;
  }

  changed(said) {
    if (said.status !== "receiving") {
      this.letGo();
      ended(this.address);
      this.came(said);
      return;
    }
    const isMore = this.there !== null && said.received > this.there;
    if (isMore) this.heard(); // as long as bytes come, another tab or device sends them
    this.draw({ there: said.received, isComing: this.isComing || isMore });
  }

  gone() {
    this.letGo();
    ended(this.address);
    this.left();
  }

  remove() {
    this.gone();
    discard(this.address).catch(() => {});
    announce(say("send.not_sent", { name: this.one.name }));
  }

  async open() {
    const file = await opened(this.handle);
    if (this.listening.signal.aborted) return;
    if (file && this.isOf(file)) this.found(file);
    else this.draw({ handle: null, trouble: say("send.not_opened", { name: this.one.name }) });
  }

  draw(news = {}) {
    Object.assign(this, news);
    if (!this.card || this.listening.signal.aborted) return;
    const { name, size, to } = this.one;
    const way = { there: this.there ?? 0, total: size };
    const told = this.isComing ? tellComing(way) : tellUnfinished({ ...way, name, isAtHand: this.handle !== null });
    drawSending(this.card, this.one, to, told, this.address);
    drawTrouble(this.card, this.trouble ?? "");
    part(this.card, "another").toggleAttribute("data-still", true);
  }
}
