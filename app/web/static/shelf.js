/** The shelf: what this browser has sent, kept in it so that a reload shows it again. */

const KEY = "rowmill.uploads";
const MOST = 50;

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
  const all = kept();
  const place = all.findIndex((other) => other.id === upload.id);
  if (place < 0) all.unshift(upload);
  else all[place] = upload;
  store(all.slice(0, MOST));
}

export function forget(id) {
  store(kept().filter((upload) => upload.id !== id));
}

function store(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // No room, or not allowed: the list then lasts as long as the page.
  }
}
