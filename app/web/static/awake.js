/** Keeping a phone's screen on while a file is being sent: a sleeping phone cuts the way. */

let lock = null;
let isWanted = false;
let isAsking = false;

export async function stayAwake() {
  isWanted = true;
  if (lock || isAsking || document.hidden) return;
  isAsking = true;
  try {
    lock = (await navigator.wakeLock?.request("screen")) ?? null;
  } catch {
    return; // a low battery, or a browser that does not: it is only a comfort
  } finally {
    isAsking = false;
  }
  lock?.addEventListener("release", () => (lock = null));
  if (!isWanted) maySleep();
}

export function maySleep() {
  isWanted = false;
  lock?.release();
  lock = null;
}

// The browser takes the lock away from a page that is not looked at.
document.addEventListener("visibilitychange", () => {
  if (isWanted) stayAwake();
});
