/** The line of files that wait to be sent: two go at a time, the others in order. */

const MOST_AT_ONCE = 2;

const waiting = [];
let going = 0;

/** Run `task` when its turn comes; the page warns before it is closed as long as one is left. */
export function stand(task) {
  waiting.push(task);
  next();
}

function next() {
  if (!waiting.length || going >= MOST_AT_ONCE) {
    if (!going && !waiting.length) window.removeEventListener("beforeunload", warn);
    return;
  }
  window.addEventListener("beforeunload", warn);
  const task = waiting.shift();
  going += 1;
  task().finally(() => {
    going -= 1;
    next();
  });
  next();
}

function warn(event) {
  event.preventDefault();
}
