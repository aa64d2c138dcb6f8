/** How fast it goes, and how long it still takes, from what was acknowledged in the last ten seconds. */

const WINDOW_SECONDS = 10;
const LEAST_SECONDS = 1;

/** Return a function from acknowledged bytes to {speed, seconds}; both are null until they can be told. */
export function paceOf(total) {
  const marks = [];
  return (there) => {
    const now = performance.now() / 1000;
    marks.push([now, there]);
    while (now - marks[0][0] > WINDOW_SECONDS) marks.shift();
    const [start, before] = marks[0];
    const speed = now - start >= LEAST_SECONDS ? (there - before) / (now - start) : 0;
    return speed > 0 ? { speed, seconds: (total - there) / speed } : { speed: null, seconds: null };
  };
}
