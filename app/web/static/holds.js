/** Answers that the service holds until there is news: two for all tabs of a browser, which keeps six connections to a host. */

const HOLDS = ["rowmill hold 1", "rowmill hold 2"];
// On a page that came over plain HTTP there are no locks: no tab knows of the others.
const WITHOUT_LOCKS = 1;

export const MOST_HELD = navigator.locks ? HOLDS.length : WITHOUT_LOCKS;

/** Take a hold if one is free; return the function that gives it back, or null. */
export async function takeHold() {
  if (!navigator.locks) return () => {};
  for (const hold of HOLDS) {
    const giveBack = await taken(hold);
    if (giveBack) return giveBack;
  }
  return null;
}

function taken(hold) {
  return new Promise((done) => {
    const enter = (lock) => (lock ? new Promise((leave) => done(leave)) : done(null));
    // Where a browser keeps nothing for a page, it gives no locks either.
    navigator.locks.request(hold, { ifAvailable: true }, enter).catch(() => done(null));
  });
}
