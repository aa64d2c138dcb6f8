/** One file on its way to the service: in line, sent, paused, gone on with, given up or handed over. */

import { announce, announceOne } from "./announce.js";
import { Parcel } from "./carry.js";
import { drawSending, drawTrouble, part } from "./card.js";
import { follow } from "./follow.js";
import { stand } from "./line.js";
import { copyLink } from "./link.js";
import { paceOf } from "./pace.js";
import { silenceOf } from "./silence.js";
import { noteState } from "./tally.js";
import { tellElsewhere, tellFailed, tellInLine, tellPaused, tellSending, tellTroubled } from "./told.js";
import { ended } from "./unfinished.js";
import { say } from "./words.js";

const DRAW_EVERY_MS = 200;

/**
 * Sends `file` from now on; `arrived(document)` is called once the service has it, `left()` once it
 * is taken away. The card, when there is one, shows how far it is and has the buttons.
 */
export class Sending {
  constructor(file, { to, options, address, arrived, left }) {
    Object.assign(this, { file, arrived, left, card: null, told: tellInLine(), drawnAt: 0, due: null });
    this.parcel = new Parcel(file, { to, options, address });
    this.listening = new AbortController();
    this.start();
  }

  /** Show it in a card from now on. */
  show(card) {
    this.card = card;
    const { signal } = this.listening;
    card.addEventListener("submit", (event) => this.submit(event), { signal });
    card.addEventListener("click", (event) => this.click(event), { signal });
    this.draw(this.told);
  }

  start() {
    noteState(this, "sending");
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.draw(tellInLine());
    stand(() => this.run(signal), signal);
  }

  async run(signal) {
    const pace = paceOf(this.file.size);
    const moved = () => this.drawSoon(tellSending({ ...this.way, ...pace(this.parcel.there) }));
    const troubled = (problem) => this.draw(tellTroubled(problem, this.way));
    announceOne(say("send.begins", { name: this.file.name }));
    this.draw(tellSending(this.way));
    try {
      const upload = await this.parcel.carry({ signal, moved, troubled });
      if (!signal.aborted) this.handOver(upload);
    } catch (problem) {
      if (signal.aborted) return;
      if (problem.code === "upload_interrupted") this.watchOther(signal);
      else this.fail(problem);
    }
  }

  handOver(upload) {
    this.end();
    this.arrived(upload);
  }

  /** Send it no longer: it is there, given up, or somebody else's. */
  end() {
    this.stop.abort();
    this.listening.abort();
    clearTimeout(this.due);
    noteState(this, null);
  }

  fail(problem) {
    this.stop.abort();
    noteState(this, "failed");
    if (problem.isGone) this.parcel.forget();
    this.draw(tellFailed(problem));
  }

  /** Another tab or device goes on with it: it is not fought over, but watched as long as it moves. */
  watchOther(signal) {
    const heard = silenceOf(() => this.goOn(), signal);
    let there = -1;
    const changed = (upload) => {
      if (upload.status !== "receiving") return over(() => this.handOver(upload));
      if (upload.received > there) heard();
      there = upload.received;
      this.draw(tellElsewhere({ ...this.way, there }));
    };
    const over = (then) => {
      this.stop.abort();
      then();
    };
    heard();
    this.draw(tellElsewhere(this.way));
    follow(this.address, { after: 0, signal, changed, refused: (problem) => over(() => this.fail(problem)) });
  }

  get address() {
    return this.parcel.address;
  }

  /** Whether it goes on here without anybody's help. */
  get isGoing() {
    return !this.stop.signal.aborted && !this.hasFailed;
  }

  /** Whether what the service lists may be this one, of which it has not told the address yet. */
  mayBe({ name, size }) {
    return !this.address && this.parcel.isBegun && this.file.name === name && this.file.size === size;
  }

  get way() {
    const { there, hasLeft } = this.parcel;
    return { there, hasLeft, total: this.file.size };
  }

  submit(event) {
    event.preventDefault();
    const asked = event.target.dataset.part;
    if (asked === "again") this.goOn();
    if (asked === "cancel") this.remove();
  }

  click(event) {
    const asked = event.target.dataset.part;
    if (asked === "delete") this.remove();
    if (asked === "copy") copyLink(this.address, (text) => (part(this.card, "copied").textContent = text));
    if (asked === "pause") this.isGoing ? this.pause() : this.goOn();
  }

  get hasFailed() {
    return !this.told.cancel;
  }

  pause() {
    this.stop.abort();
    this.draw(tellPaused(this.way));
  }

  goOn() {
    this.stop.abort();
    this.parcel.mayStartAnew = true;
    this.start();
  }

  /** Give the file up, here and at the service. */
  remove() {
    this.end();
    if (this.address) ended(this.address);
    this.parcel.giveUp();
    announce(say("send.not_sent", { name: this.file.name }));
    this.left();
  }

  /** Draw what moves, but not more often than an eye can follow; what came last is drawn in any case. */
  drawSoon(told) {
    clearTimeout(this.due);
    const rest = this.drawnAt + DRAW_EVERY_MS - performance.now();
    if (rest > 0) this.due = setTimeout(() => this.draw(told), rest);
    else this.draw(told);
  }

  draw(told) {
    clearTimeout(this.due);
    this.told = told;
    this.drawnAt = performance.now();
    if (!this.card) return;
    drawSending(this.card, this.file, this.parcel.to, told, this.address);
    drawTrouble(this.card, this.parcel.startedAnew && told.cancel ? say("send.starts_anew") : "");
    part(this.card, "another").toggleAttribute("data-still", true);
  }
}
