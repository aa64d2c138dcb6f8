/** An upload that was begun and whose file this page does not have: it waits for a person to choose it. */

import { announce } from "./announce.js";
import { drawSending, drawTrouble, part } from "./card.js";
import { follow } from "./follow.js";
import { handleOf, opened } from "./handles.js";
import { copyLink } from "./link.js";
import { pause } from "./pause.js";
import { silenceOf } from "./silence.js";
import { askTabs, isSending } from "./tabs.js";
import { tellComing, tellUnfinished, tellUnknown } from "./told.js";
import { discard } from "./tus.js";
import { ended, isOf } from "./unfinished.js";
import { say } from "./words.js";

// A tab that sends may be too busy to answer at once; one that sleeps does not answer at all.
const BUSY_SECONDS = 0.3;
const MOST_LOOKS = 20;

export class Halfway {
  /**
   * `came(document)` is called if the service has all of it, `found(file)` when its file was opened
   * again, `left()` once it is taken away.
   */
  constructor(one, { came, found, left }) {
    Object.assign(this, { one, came, found, left, card: null, handle: null, there: null, isComing: false, isFollowed: false });
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.heard = silenceOf(() => this.draw({ isComing: false }), signal);
    askTabs(one.address, { signal, answered: () => this.comes() });
    this.begin();
    handleOf(one.address).then((handle) => this.draw({ handle }));
  }

  /** Leave a tab that is seen to send it time to answer before anything is said of it. */
  async begin() {
    const { signal } = this.listening;
    for (let looks = 0; looks < MOST_LOOKS && !this.isComing && !signal.aborted; looks += 1) {
      if (!(await isSending(this.address))) break;
      await pause(BUSY_SECONDS, signal);
    }
    if (!signal.aborted) this.lookAgain();
  }

  /** Follow it, unless it is being followed anyway. */
  lookAgain() {
    if (this.isFollowed) return;
    this.isFollowed = true;
    const { signal } = this.listening;
    const refused = (problem) => this.refused(problem);
    follow(this.address, { after: 0, signal, changed: (said) => this.changed(said), refused }).finally(() => (this.isFollowed = false));
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
    this.end();
    return this.one;
  }

  end() {
    this.listening.abort();
  }

  changed(said) {
    if (said.status !== "receiving") {
      this.end();
      ended(this.address);
      this.came(said);
      return;
    }
    const isMore = this.there !== null && said.received > this.there;
    this.there = said.received;
    this.trouble = "";
    if (isMore) this.comes();
    else this.draw();
  }

  /** As long as bytes come, or a tab says that it sends them, nothing is asked of anybody. */
  comes() {
    this.heard();
    this.draw({ isComing: true });
  }

  /** Say why it cannot be followed; what is still there is gone on with once somebody comes back. */
  refused(problem) {
    if (problem.isGone) this.forget();
    else this.draw({ trouble: problem.text });
  }

  forget() {
    this.end();
    ended(this.address);
    this.left();
  }

  remove() {
    this.forget();
    discard(this.address).catch(() => {});
    announce(say("send.not_sent", { name: this.one.name }));
  }

  async open() {
    const file = await opened(this.handle);
    if (this.listening.signal.aborted) return;
    if (file && this.isOf(file)) this.found(file);
    else this.draw({ handle: null, trouble: say("send.not_opened", { name: this.one.name }) });
  }

  told(way) {
    if (this.isComing) return tellComing(way);
    if (this.there === null && !this.trouble) return tellUnknown();
    return tellUnfinished({ ...way, isAtHand: this.handle !== null });
  }

  draw(news = {}) {
    Object.assign(this, news);
    if (!this.card || this.listening.signal.aborted) return;
    const { name, size, to } = this.one;
    const way = { there: this.there ?? 0, total: size };
    drawSending(this.card, this.one, to, this.told({ ...way, name }), this.address);
    drawTrouble(this.card, this.trouble ?? "");
    part(this.card, "another").toggleAttribute("data-still", true);
  }
}
