/** Waiting that ends early when there is a reason: the network is back, the page is looked at again. */

const LONGEST = 30;

/** Wait for some seconds; a signal or the return of the network or of the reader ends it. */
export function pause(seconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(end, seconds * 1000);
    function end() {
      clearTimeout(timer);
      window.removeEventListener("online", end);
      document.removeEventListener("visibilitychange", seen);
      signal?.removeEventListener("abort", end);
      done();
    }
    function seen() {
      if (!document.hidden) end();
    }
    window.addEventListener("online", end);
    document.addEventListener("visibilitychange", seen);
    signal?.addEventListener("abort", end);
  });
}

/** Return how long to wait after so many failures in a row: longer each time, never in step. */
export function backoff(failures, retryAfter = null) {
  const grown = Math.min(LONGEST, 2 ** (failures - 1));
  return Math.max(retryAfter ?? 0, grown * (0.75 + Math.random() / 2));
}
