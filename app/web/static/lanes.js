/** The lanes on which files are sent: three for all tabs of a browser, which keeps six connections to a host. */

const LANES = ["rowmill lane 1", "rowmill lane 2", "rowmill lane 3"];
// On a page that came over plain HTTP there are no locks: no tab knows of the others.
const WITHOUT_LOCKS = 2;

export const MOST_AT_ONCE = navigator.locks ? LANES.length : WITHOUT_LOCKS;

/** Wait until a lane is free and take it; return the function that gives it back. */
export function takeLane() {
  if (!navigator.locks) return Promise.resolve(() => {});
  return new Promise((taken) => {
    const others = new AbortController();
    const enter = () => {
      if (others.signal.aborted) return undefined; // two were free at the same time
      others.abort();
      return new Promise((leave) => taken(leave));
    };
    for (const lane of LANES) {
      // Where a browser keeps nothing for a page, it gives no locks either.
      navigator.locks.request(lane, { signal: others.signal }, enter).catch(({ name }) => name === "AbortError" || taken(() => {}));
    }
  });
}
