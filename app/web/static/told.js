/** What the page says about a file that is not there yet, in the shape in which a job is told. */

import { amount, percentOf } from "./sentences.js";
import { WORDS } from "./words.js";

const BUTTONS = { download: false, again: false, cancel: false, pause: false, goOn: false };
const NOTHING = { status: "", note: "", tone: "busy", percent: 0, moving: false, ...BUTTONS };

export function tellInLine() {
  return { ...NOTHING, status: WORDS.inLine, moving: true, cancel: true, pause: true };
}

/** Say how much has arrived; 100 % is said only when the service has it for good. */
export function tellSending({ there = 0, total = 0, speed = null, seconds = null } = {}) {
  const percent = partOf(there, total);
  const whole = total > 0 && there >= total;
  const note = whole ? "" : WORDS.way(amount(there), amount(total), speed && amount(Math.round(speed)), seconds && duration(seconds));
  return { ...NOTHING, status: whole ? WORDS.storing : WORDS.sending(percent), note, percent, moving: true, cancel: true, pause: !whole };
}

/** Say why it waits before it goes on by itself. */
export function tellTroubled(problem, { there, total }) {
  const status = there ? WORDS.goingOn(partOf(there, total)) : WORDS.notNowSoon;
  const note = there ? WORDS.goesOn(problem.message) : problem.message;
  return { ...NOTHING, status, note, percent: partOf(there, total), moving: true, cancel: true, pause: true };
}

export function tellPaused({ there, total }) {
  const note = WORDS.pausedNote(amount(there), amount(total));
  const percent = partOf(there, total);
  return { ...NOTHING, status: WORDS.paused(percent), note, tone: "idle", percent, moving: true, cancel: true, goOn: true };
}

/** Say what only a person can help with. */
export function tellFailed(problem) {
  return { ...NOTHING, status: problem.message, note: problem.hint, tone: "bad", again: true };
}

/** Say that somebody else has taken over what this page was sending, and how far that is. */
export function tellElsewhere({ there, total }) {
  const note = WORDS.elsewhereHint;
  return { ...NOTHING, status: WORDS.elsewhere, note, tone: "idle", percent: partOf(there, total), moving: true, goOn: true };
}

/** Say how much of an upload has come, on its page: the same as `arriving` in app/api/sentences.py. */
export function tellArriving({ there, total }) {
  const percent = partOf(there, total);
  return { ...NOTHING, status: WORDS.arriving(percent), note: WORDS.arrivingNote, tone: "idle", percent, moving: true };
}

/** Say how much has come of what this page was never sending, while it comes. */
export function tellComing({ there, total }) {
  const percent = partOf(there, total);
  return { ...NOTHING, status: WORDS.coming(percent), note: WORDS.comingNote, tone: "idle", percent, moving: true };
}

/** Say that a file has to be chosen again before it goes on, unless the browser can open it at a click. */
export function tellUnfinished({ there, total, name, isAtHand }) {
  const percent = partOf(there, total);
  const note = isAtHand ? WORDS.atHandNote(name) : WORDS.unfinishedNote(name);
  return { ...NOTHING, status: WORDS.unfinished(percent), note, tone: "idle", percent, moving: true, goOn: isAtHand };
}

function partOf(there, total) {
  return total ? percentOf(there / total) : 0;
}

/** Return a time as people say it: 8 s, 3 min. */
function duration(seconds) {
  return seconds < 90 ? WORDS.seconds(Math.max(1, Math.ceil(seconds))) : WORDS.minutes(Math.ceil(seconds / 60));
}
