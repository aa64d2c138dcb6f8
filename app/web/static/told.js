/** What the page says about a file that is not there yet, in the shape in which a job is told. */

import { amount, percentOf } from "./sentences.js";
import { number, say, together } from "./words.js";

const BUTTONS = { download: false, again: false, cancel: false, pause: false, goOn: false };
const NOTHING = { status: "", note: "", tone: "busy", percent: 0, moving: false, ...BUTTONS };

export function tellInLine() {
  return { ...NOTHING, status: say("send.in_line"), moving: true, cancel: true, pause: true };
}

/** Say how much has arrived; 100 % is said only when the service has it for good. */
export function tellSending({ there = 0, total = 0, hasLeft = false, speed = null, seconds = null } = {}) {
  const told = { ...onTheWay("send.sending", { there, total }), cancel: true };
  if (hasLeft) return { ...told, step: "send.left_here", status: say("send.left_here"), note: amount(total), pause: true };
  if (total > 0 && there >= total) return { ...told, step: "send.storing", status: say("send.storing") };
  const pace = speed && say("send.speed", { amount: amount(Math.round(speed)) });
  const left = seconds && say("send.left", { time: duration(seconds) });
  return { ...told, note: together([say("send.way", { sent: amount(there), total: amount(total) }), pace, left]), pause: true };
}

/** Say why it waits before it goes on by itself; what has nothing there yet is sent from its beginning. */
export function tellTroubled({ message, status: refusal }, { there, total }) {
  const told = { ...onTheWay("send.interrupted", { there, total }), cancel: true, pause: true };
  if (there >= total) return { ...told, status: say("send.storing"), note: say("network.asked_again", { message }) };
  if (there) return { ...told, note: say("send.goes_on", { message }) };
  return { ...told, status: say(refusal ? "send.not_now" : "send.cut"), note: message };
}

export function tellPaused({ there, total }) {
  const note = say("send.paused_note", { sent: amount(there), total: amount(total) });
  return { ...onTheWay("send.paused", { there, total }), note, tone: "idle", cancel: true, goOn: true };
}

/** Say what only a person can help with. */
export function tellFailed(problem) {
  return { ...NOTHING, status: problem.message, note: problem.hint, tone: "bad", again: true };
}

/** Say that somebody else has taken over what this page was sending, and how far that is. */
export function tellElsewhere(way) {
  return { ...onTheWay("send.elsewhere", way), note: say("send.elsewhere_note"), tone: "idle", goOn: true };
}

/** Say how much of an upload has come, on its page: the same as `arriving` in app/api/sentences.py. */
export function tellArriving(way) {
  return { ...onTheWay("job.arriving", way), note: say("job.arriving_note"), tone: "idle" };
}

/** Say how much has come of what this page was never sending, while it comes. */
export function tellComing(way) {
  return { ...onTheWay("send.coming", way), note: say("send.coming_note"), tone: "idle" };
}

/** Say nothing yet of what the service has still to tell. */
export function tellUnknown() {
  return { ...NOTHING, moving: true };
}

/** Say that a file has to be chosen again before it goes on, unless the browser can open it at a click. */
export function tellUnfinished({ there, total, name, isAtHand }) {
  const note = isAtHand ? say("send.at_hand_note", { name }) : say("send.unfinished_note", { name });
  return { ...onTheWay("send.unfinished", { there, total }), note, tone: "idle", goOn: isAtHand };
}

/** Say how far it is; `step` is what stays the same while it only gets further. */
function onTheWay(step, { there, total }) {
  const percent = total ? percentOf(there / total) : 0;
  return { ...NOTHING, step, status: say(step, { percent }), percent, moving: true };
}

/** Return a time as people say it: 8 s, 3 min. */
function duration(seconds) {
  if (seconds < 90) return say("amount.seconds", { number: number(Math.max(1, Math.ceil(seconds))) });
  return say("amount.minutes", { number: number(Math.ceil(seconds / 60)) });
}
