/** Sending one file: its bytes as they are, with true progress, given up when nothing moves. */

import { Problem, problemFrom, unreachable } from "./ask.js";

const STALL_SECONDS = 60;
const STORE_SECONDS = 300;
const SPEED_WINDOW_SECONDS = 10;

/**
 * Send `file` and return the upload's document once the service has it for good.
 * `moved({sent, total, seconds})` is told how far it is; throws a Problem.
 */
export function send(file, { to, options, signal, moved }) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    const pace = paceOf();
    const watch = watchdog(() => {
      request.abort();
      failed(new Problem("Nothing moves any more on the way to the service.", { hint: "Check the network, then try again." }));
    });
    request.open("POST", `/uploads?${question(file, to, options)}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded }) => {
      watch.moved(loaded >= file.size ? STORE_SECONDS : STALL_SECONDS);
      moved({ sent: loaded, total: file.size, seconds: pace(loaded, file.size) });
    };
    request.onload = () => settle(request, done, failed);
    request.onerror = () => failed(broken(file));
    request.onabort = () => failed(new DOMException("Cancelled", "AbortError"));
    request.onloadend = () => watch.stop();
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
    watch.moved(STALL_SECONDS);
  });
}

function question(file, to, options) {
  const fields = new URLSearchParams({ name: file.name });
  if (to) fields.append("to", to);
  for (const [name, value] of Object.entries(options ?? {})) fields.append(name, value);
  return fields;
}

function settle(request, done, failed) {
  if (request.status >= 200 && request.status < 300) {
    done(JSON.parse(request.responseText));
  } else {
    failed(problemFrom(request.status, request.responseText, request.getResponseHeader("Retry-After")));
  }
}

function broken(file) {
  // A file that changed or vanished after it was chosen fails exactly like a lost network.
  const problem = unreachable();
  problem.hint = `Check the network, and that ${file.name} is still where it was. Then try again.`;
  return problem;
}

/** Return a function from bytes sent to the seconds that are left, by the last ten seconds. */
function paceOf() {
  const marks = [];
  return (sent, total) => {
    const now = performance.now() / 1000;
    marks.push([now, sent]);
    while (now - marks[0][0] > SPEED_WINDOW_SECONDS) marks.shift();
    const [start, before] = marks[0];
    const speed = now - start > 1 ? (sent - before) / (now - start) : 0;
    return speed > 0 ? (total - sent) / speed : null;
  };
}

function watchdog(bark) {
  let timer = null;
  return {
    moved(seconds) {
      clearTimeout(timer);
      timer = setTimeout(bark, seconds * 1000);
    },
    stop: () => clearTimeout(timer),
  };
}
