/** How many files of this visit are sent, ready and failed: one line for all of them. */

import { announce, beQuiet } from "./announce.js";
import { number, say, together } from "./words.js";

const FEW = 3;

const states = new Map();
const counts = { sending: 0, sent: 0, ready: 0, failed: 0, ended: 0 };
let quarter = 0;
let isDue = false;

/** Note where a file stands: sending, sent, ready, failed or ended otherwise; null when it is taken away. */
export function noteState(key, state) {
  const before = states.get(key);
  if (before === state || (before === undefined && state === null)) return;
  if (before) counts[before] -= 1;
  if (state) counts[state] += 1;
  if (state) states.set(key, state);
  else states.delete(key);
  if (isDue) return;
  isDue = true; // a thousand changes at once are drawn once
  setTimeout(show, 100);
}

/** Say that so many more begin. */
export function beginMany(count) {
  beQuiet(states.size + count > FEW);
  quarter = 0;
  if (states.size + count > FEW) announce(say("send.begin_many", { count }));
}

function show() {
  isDue = false;
  const total = states.size;
  const line = document.getElementById("tally");
  line.textContent = total > 1 ? tallied(total) : "";
  const settled = counts.ready + counts.failed + counts.ended;
  const passed = Math.floor((settled / Math.max(1, total)) * 4);
  if (total <= FEW || passed <= quarter) return;
  quarter = passed;
  announce(line.textContent);
}

function tallied(total) {
  const { sending, ready, failed } = counts;
  return together([
    sending ? say("tally.sent_of", { sent: number(total - sending), count: total }) : say("tally.sent", { count: total }),
    ready && say("tally.ready", { count: ready }),
    failed && say("tally.failed", { count: failed }),
  ]);
}
