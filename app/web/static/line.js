/** The line of files that wait to be sent: as many go at a time as there are lanes, the others in order. */

import { maySleep, stayAwake } from "./awake.js";
import { MOST_AT_ONCE, takeLane } from "./lanes.js";

const waiting = new Set();
let going = 0;
let asking = 0;

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
  while (asking < waiting.size && asking + going < MOST_AT_ONCE) go();
  if (going || waiting.size) {
    window.addEventListener("beforeunload", warn);
    stayAwake();
  } else {
    window.removeEventListener("beforeunload", warn);
    maySleep();
  }
}

async function go() {
  asking += 1;
  const leave = await takeLane();
  asking -= 1;
  const [task] = waiting; // or none: it may have been given up meanwhile
  try {
    await (task && run(task));
  } finally {
    leave();
    next();
  }
}

async function run(task) {
  waiting.delete(task);
  going += 1;
  next();
  await task().finally(() => (going -= 1));
}

function warn(event) {
  event.preventDefault();
}
