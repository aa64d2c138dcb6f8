/** One link to all results together, offered once there are two. */

const ready = new Set();
let isDue = false;

/** Note whether `key` has a result. */
export function noteResults(key, has) {
  if (ready.has(key) === has) return;
  if (has) ready.add(key);
  else ready.delete(key);
  if (isDue) return;
  isDue = true; // a thousand changes at once are drawn once
  setTimeout(show, 100);
}

function show() {
  isDue = false;
  const link = document.getElementById("all");
  if (link) link.hidden = ready.size < 2;
}
