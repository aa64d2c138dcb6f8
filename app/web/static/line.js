/** The line of files that wait to be sent: three go at a time, the others in order. */

import { maySleep, stayAwake } from "./awake.js";

const MOST_AT_ONCE = 3;

const waiting = new Set();
let going = 0;

/** Run `task` when its turn comes; as long as one is left, closing the page would lose bytes. */
export function stand(task, signal) {
  waiting.add(task);
  signal.addEventListener("abort", () => {
    if (waiting.delete(task)) next();
  });
  next();
}

/** Return how many are on their way now. */
export function goingNow() {
  return going;
}

function next() {
  while (waiting.size && going < MOST_AT_ONCE) go();
  if (going) {
    window.addEventListener("beforeunload", warn);
    stayAwake();
  } else {
    window.removeEventListener("beforeunload", warn);
    maySleep();
  }
}

function go() {
  const [task] = waiting;
  waiting.delete(task);
  going += 1;
  task().finally(() => {
    going -= 1;
    next();
  });
}

function warn(event) {
  event.preventDefault();
}
