/** What the tabs of this browser know of each other: whether one of them sends an upload just now. */

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

/** Have other tabs see at once that this one sends an upload, until the signal says stop; resolves once they do. */
export function showSending(address, signal) {
  return new Promise((shown) => {
    const hold = () => {
      shown();
      return new Promise((leave) => (signal.aborted ? leave() : signal.addEventListener("abort", leave)));
    };
    if (navigator.locks) navigator.locks.request(lockOf(address), { mode: "shared" }, hold).catch(shown);
    else shown();
  });
}

/** Whether a tab is seen to send an upload; it may be too busy to answer. */
export async function isSending(address) {
  const { held } = (await navigator.locks?.query().catch(() => null)) ?? { held: [] };
  return held.some(({ name }) => name === lockOf(address));
}

/** Answer the other tabs; `sends(address)` tells whether this one does. */
export function answerTabs(sends) {
  channel?.addEventListener("message", ({ data }) => data.asked && sends(data.asked) && channel.postMessage({ sends: data.asked }));
}

function lockOf(address) {
  return `rowmill sends ${address}`;
}

function opened() {
  try {
    return new BroadcastChannel("rowmill");
  } catch {
    return null; // a browser that keeps nothing for a page: each tab is alone
  }
}
