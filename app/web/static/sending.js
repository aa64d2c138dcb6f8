/** One file on its way to the service: in line, sent, tried again, given up or handed over. */

import { announce } from "./announce.js";
import { drawSending, part } from "./card.js";
import { stand } from "./line.js";
import { backoff, pause } from "./pause.js";
import { send } from "./send.js";
import { tellFailed, tellInLine, tellSending } from "./sentences.js";

const MOST_TRIES = 6;

/**
 * Send `file` and show it in `card` meanwhile; call `arrived(document)` once the service has it.
 * The card's buttons stop it, start it again after a failure, and take the card away.
 */
export function sendInto(card, file, { to, options, arrived, left }) {
  const sending = new Sending(card, file, { to, options, arrived, left });
  sending.start();
}

class Sending {
  constructor(card, file, { to, options, arrived, left }) {
    Object.assign(this, { card, file, to, options, arrived, left, stop: null });
    this.listening = new AbortController();
    const { signal } = this.listening;
    card.addEventListener("submit", (event) => this.submit(event), { signal });
    part(card, "delete").addEventListener("click", () => this.remove(), { signal });
  }

  start() {
    this.stop = new AbortController();
    this.draw(tellInLine());
    stand(() => this.run(this.stop.signal));
  }

  async run(signal) {
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const upload = await this.sendOnce(signal);
        this.listening.abort();
        this.arrived(upload);
        return;
      } catch (problem) {
        if (signal.aborted) return;
        this.draw(tellFailed(problem, { tries, most: MOST_TRIES }));
        if (!mayPass(problem) || tries >= MOST_TRIES) return;
        await pause(backoff(tries, problem.retryAfter), signal);
      }
    }
  }

  sendOnce(signal) {
    this.draw(tellSending({ total: this.file.size }));
    const moved = (way) => this.draw(tellSending(way));
    return send(this.file, { to: this.to, options: this.options, signal, moved });
  }

  submit(event) {
    event.preventDefault();
    const asked = event.target.dataset.part;
    this.stop.abort();
    if (asked === "again") this.start();
    if (asked === "cancel") this.remove();
  }

  remove() {
    this.stop.abort();
    this.listening.abort();
    announce(`${this.file.name} is not sent.`);
    this.left(this.card);
  }

  draw(told) {
    drawSending(this.card, this.file, this.to, told);
  }
}

/** Only a service that says "not now" is asked again without a person: after a cut it may have the file. */
function mayPass(problem) {
  return problem.status === 503 || problem.status === 429;
}
