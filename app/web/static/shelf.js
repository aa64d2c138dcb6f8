/** The shelf: what this browser has sent, kept in it so that a reload shows it again. */

const KEY = "rowmill.uploads";
const MOST = 200;
const WRITE_AFTER_MS = 250;

// What has changed here and is not written yet; null stands for what was forgotten. Other tabs write too.
const fresh = new Map();
let timer = null;

/** Return the last known documents, the newest first. */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((upload) => upload?.id && upload?.links?.self) : [];
  } catch {
    return [];
  }
}

/** Remember a document in the place of its older self, or as the newest. */
export function keep(upload) {
  write(upload.id, upload);
}

export function forget(id) {
  write(id, null);
}

/** A thousand files change often: they are written together, and before the page goes. */
function write(id, upload) {
  fresh.set(id, upload);
  timer ??= setTimeout(flush, WRITE_AFTER_MS);
}

function flush() {
  clearTimeout(timer);
  timer = null;
  if (!fresh.size) return;
  const known = kept().map((upload) => (fresh.has(upload.id) ? taken(upload.id) : upload));
  const added = [...fresh.values()].reverse();
  fresh.clear();
  try {
    localStorage.setItem(KEY, JSON.stringify([...added, ...known].filter(Boolean).slice(0, MOST)));
  } catch {
    // No room, or not allowed: the list then lasts as long as the page.
  }
}

function taken(id) {
  const upload = fresh.get(id);
  fresh.delete(id);
  return upload;
}

window.addEventListener("pagehide", flush);
document.addEventListener("visibilitychange", flush);
