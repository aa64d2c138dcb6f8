/** A request with a body that a person waits for: its progress is told, and it is given up when nothing moves. */

import { Problem, problemFrom, unreachable } from "./ask.js";
import { say } from "./words.js";

// Whatever happens, a connection that has died is noticed before half a minute is over.
const STALL_SECONDS = 20;
// After the last byte the service makes it durable, which takes its time with an enormous file:
// where nobody can be asked meanwhile, and nothing may be sent twice, it is waited for.
const STORE_SECONDS = 300;

/**
 * Send `body`; return the request once it was answered 2xx, or throw a Problem, whose `location` is
 * the one that a refusal names.
 * `watch.moved()` may be called by whoever sees by other means that bytes arrive. What `mayRepeat`
 * is given up as soon as it is silent: bytes that have left this browser may yet be stuck on the way.
 */
export function sendBody(method, path, body, { headers, signal, mayRepeat, watch = null, left = () => {} }) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    let timer = null;
    const moved = (seconds = STALL_SECONDS) => {
      clearTimeout(timer);
      timer = setTimeout(bark, seconds * 1000);
    };
    if (watch) watch.moved = moved;
    const stop = () => request.abort();
    function bark() {
      failed(new Problem(say("send.stalled"), { hint: say("network.unreachable_hint") }));
      request.abort();
    }
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      moved(loaded >= body.size && !mayRepeat ? STORE_SECONDS : STALL_SECONDS);
      left(loaded);
    };
    request.onload = () => (isGood(request) ? done(request) : failed(problemOf(request)));
    request.onerror = () => failed(unreachable());
    request.onabort = () => failed(new DOMException("given up", "AbortError"));
    request.onloadend = () => {
      clearTimeout(timer);
      if (watch) watch.moved = () => {};
      signal.removeEventListener("abort", stop);
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) return failed(new DOMException("given up", "AbortError"));
    request.send(body);
    moved();
  });
}

function isGood({ status }) {
  return status >= 200 && status < 300;
}

function problemOf(request) {
  const problem = problemFrom(request.status, request.responseText, request.getResponseHeader("Retry-After"));
  return Object.assign(problem, { location: request.getResponseHeader("Location") });
}
