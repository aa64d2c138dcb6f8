/** Carrying one file to the service, whatever happens on the way: what has arrived is never sent again. */

import { Problem, ask, refusal } from "./ask.js";
import { backoff, pause } from "./pause.js";
import { send } from "./send.js";
import { showSending } from "./tabs.js";
import { append, begin, beginWhole, discard, newKey, pathOf, speaksTus, standing } from "./tus.js";
import { begun, ended } from "./unfinished.js";
import { say } from "./words.js";

// So small a file goes in the request that begins its upload: it is there sooner than in several.
const SMALL_BYTES = 256 * 1024;
const LOOK_SECONDS = 0.7;
const MOST_TRIES_BLIND = 6;
const ANOTHER = "another_file";
const LOST = new Set([ANOTHER, "expired", "upload_lost"]);

/**
 * A file on its way; `address` is known from the beginning of its upload on, `isBegun` is whether
 * it was asked for, `there` are acknowledged bytes, and `hasLeft` says that all of what goes in one request has
 * left this browser, and no more than that.
 */
export class Parcel {
  constructor(file, { to, options = {}, address = null }) {
    Object.assign(this, { file, to, options, address, isBegun: address !== null, there: 0, hasLeft: false, key: newKey() });
    Object.assign(this, { startedAnew: false, mayStartAnew: true, shown: null });
  }

  /**
   * Bring the file there and return the upload's document; throw a Problem when only a person can help.
   * `moved()` is told when more has arrived, `troubled(problem)` why it waits before it goes on.
   */
  async carry({ signal, moved, troubled }) {
    for (let failures = 1; ; failures += 1) {
      const before = this.there;
      let mayRepeat = true;
      try {
        const isTus = await speaksTus();
        mayRepeat = isTus;
        await this.refuseChanged();
        if (!isTus) return await this.sendWhole(signal, moved);
        if (this.isBegun || this.file.size > SMALL_BYTES) return await this.resume(signal, moved);
        return await this.beginWhole(signal, moved);
      } catch (problem) {
        if (signal.aborted) throw problem;
        if (this.there > before) failures = 1;
        if (this.isUseless(problem)) this.startAnew(problem);
        else if (!mayGoOn(problem, mayRepeat, failures)) throw problem;
        troubled(problem);
        await pause(backoff(failures, problem.retryAfter), signal);
        if (signal.aborted) throw problem;
      }
    }
  }

  /** A file that has changed fails exactly like a lost network: so it is looked at before each try. */
  async refuseChanged() {
    try {
      await this.file.slice(0, 1).arrayBuffer();
    } catch {
      throw new Problem(say("send.changed", { name: this.file.name }), { status: 400, hint: say("send.changed_hint") });
    }
  }

  async resume(signal, moved) {
    const isFresh = !this.isBegun;
    this.isBegun = true;
    this.address ??= await begin(this.file, { ...this, signal });
    this.there = isFresh ? 0 : await this.standing(signal);
    await this.show(signal);
    begun(this.address, this.file, this.to);
    moved();
    if (this.there < this.file.size) await this.append(signal, moved);
    const { said } = await ask(this.address, { signal });
    ended(this.address);
    return said;
  }

  /** Let other tabs see, once for each sending, that it is sent here. */
  async show(signal) {
    if (this.shown === signal) return;
    this.shown = signal;
    await showSending(this.address, signal);
  }

  async standing(signal) {
    const { offset, modified, to, options } = await standing(this.address, signal).catch((problem) => this.explain(problem, signal));
    if (modified === String(this.file.lastModified)) return offset;
    Object.assign(this, { to, options }); // what was chosen holds for the other version of the file too
    throw new Problem(say("send.another_file"), { status: 409, code: ANOTHER });
  }

  /** Throw the refusal with its reason, which an answer to HEAD cannot give. */
  async explain(problem, signal) {
    if (!(problem instanceof Problem) || problem.passes) throw problem;
    const { said } = await ask(this.address, { signal });
    throw said.error ? refusal(said.error, problem) : problem;
  }

  /** Send the rest, and look meanwhile how much of it has arrived: sent bytes may still be lost. */
  async append(signal, moved) {
    const looking = new AbortController();
    const watch = { moved() {} };
    const whole = this.look(looking.signal, watch, moved);
    signal.addEventListener("abort", () => looking.abort(), { once: true });
    const sending = append(this.address, this.file, this.there, { signal: either(signal, looking), watch });
    try {
      await Promise.race([sending, whole]);
      this.there = this.file.size;
    } finally {
      looking.abort();
      sending.catch(() => {}); // it was given up because the upload is seen to be whole
    }
  }

  /** Ask for the document, which disturbs nobody; return once the service says that it has it all. */
  async look(signal, watch, moved) {
    for (;;) {
      await pause(LOOK_SECONDS, signal);
      if (signal.aborted) return new Promise(() => {});
      const said = await ask(this.address, { signal }).then((answer) => answer.said, () => null);
      if (!said || signal.aborted) continue;
      if (said.status !== "receiving" && !said.error) return said;
      if (said.received === this.file.size) watch.moved(); // it is being made durable
      if (said.received <= this.there) continue;
      watch.moved();
      this.there = said.received;
      moved();
    }
  }

  /** Begin with all of it in the same request: where that is cut off, it is gone on with from what has come. */
  async beginWhole(signal, moved) {
    this.isBegun = true;
    const left = (bytes) => this.isLeaving(bytes, moved);
    try {
      this.address = await beginWhole(this.file, { ...this, signal, left });
    } catch (problem) {
      if (problem.location) this.address = pathOf(problem.location);
      throw problem;
    } finally {
      this.hasLeft = false;
    }
    this.there = this.file.size;
    moved();
    return (await ask(this.address, { signal })).said;
  }

  /** Send all of it to a service without tus, which never says how much it has: what was sent is all that can be told. */
  async sendWhole(signal, moved) {
    const left = (bytes) => {
      this.there = Math.min(bytes, this.file.size);
      this.isLeaving(bytes, moved);
    };
    try {
      return await send(this.file, { ...this, signal, left });
    } finally {
      Object.assign(this, { there: 0, hasLeft: false }); // what did not come whole is kept nowhere
    }
  }

  isLeaving(bytes, moved) {
    this.hasLeft = bytes >= this.file.size;
    moved();
  }

  /** Have the service forget what it has of it, also where it never came to say its address. */
  async giveUp() {
    if (!this.isBegun) return;
    try {
      await discard(this.address ?? (await begin(this.file, this)));
    } catch {
      // It then goes by itself, when its time is over.
    }
  }

  /** Whether what is at the address cannot become this file any more; what somebody deleted is not to be sent again. */
  isUseless({ status, code }) {
    return this.address !== null && this.mayStartAnew && (status === 404 || LOST.has(code));
  }

  startAnew({ code }) {
    if (code === ANOTHER) discard(this.address).catch(() => {});
    this.forget();
    Object.assign(this, { startedAnew: true, mayStartAnew: false }); // again only if somebody asks for it
  }

  /** Have nothing to do any more with what is at the address: the next try begins another upload. */
  forget() {
    if (this.address) ended(this.address);
    Object.assign(this, { address: null, isBegun: false, there: 0, key: newKey(), shown: null });
  }
}

function mayGoOn(problem, mayRepeat, failures) {
  if (!(problem instanceof Problem)) return false;
  if (mayRepeat) return problem.passes;
  // After a cut the service may have the file: only one that says "not now" is asked again.
  return [429, 503].includes(problem.status) && failures < MOST_TRIES_BLIND;
}

function either(signal, other) {
  signal.addEventListener("abort", () => other.abort(), { once: true });
  return other.signal;
}
