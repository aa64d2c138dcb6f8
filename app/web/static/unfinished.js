/** Uploads that this browser began and did not end: whoever chooses such a file again goes on with it. */

const KEY = "rowmill.unfinished";
const MOST = 50;

/** Return what is known of each: its address, the marks of its file, what it should become. */
export function unfinished() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => /^\/uploads\/[\w-]+$/.test(one?.address)) : [];
  } catch {
    return [];
  }
}

/** Remember that `file` is on its way to `address`. Options stay with the service: some are secret. */
export function begun(address, file, to) {
  const { name, size, lastModified } = file;
  store([{ address, name, size, lastModified, to }, ...unfinished()].slice(0, MOST));
}

export function ended(address) {
  store(unfinished().filter((one) => one.address !== address));
}

/** Whether this is the file that was being sent, as far as a page may see. */
export function isOf(one, file) {
  return one.name === file.name && one.size === file.size && one.lastModified === file.lastModified;
}

function store(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // No room, or not allowed: an upload then lasts as long as the page.
  }
}
