/** What the tabs of this browser ask each other: whether one of them sends an upload just now. */

const EVERY_MS = 5_000;

const channel = opened();

/** Ask the other tabs now and again until the signal says stop; `answered()` is called when one sends it. */
export function askTabs(address, { signal, answered }) {
  if (!channel) return;
  const ask = () => channel.postMessage({ asked: address });
  const timer = setInterval(ask, EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  channel.addEventListener("message", ({ data }) => data.sends === address && answered(), { signal });
  ask();
}

/** Answer the other tabs; `sends(address)` tells whether this one does. */
export function answerTabs(sends) {
  channel?.addEventListener("message", ({ data }) => data.asked && sends(data.asked) && channel.postMessage({ sends: data.asked }));
}

function opened() {
  try {
    return new BroadcastChannel("rowmill");
  } catch {
    return null; // a browser that keeps nothing for a page: each tab is alone
  }
}
