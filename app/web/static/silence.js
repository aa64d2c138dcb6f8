/** Noticing that nothing comes any more from another tab or device that sends an upload. */

// Nobody who sends needs to be longer silent than that.
const SILENT_MS = 20_000;

/** Return `heard()`, which has `silent()` called once it was not called again for so long, or not at all after an abort. */
export function silenceOf(silent, signal) {
  let timer = null;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(silent, SILENT_MS);
  };
}
