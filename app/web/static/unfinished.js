/** Uploads that this browser began and did not end: whoever chooses such a file again goes on with it. */

import { dropHandle, keepHandle } from "./handles.js";

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
  store([{ address, name, size, lastModified, to }, ...others(address)].slice(0, MOST));
  keepHandle(address, file);
}

export function ended(address) {
  store(others(address));
  dropHandle(address);
}

/** Call `changed()` whenever another tab of this browser begins or ends one. */
export function watchUnfinished(changed) {
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY) changed();
  });
}

/** Whether this is the file that was being sent, as far as a page may see; what it does not know, the service does. */
export function isOf(one, file) {
  const isAsOld = one.lastModified === undefined || one.lastModified === file.lastModified;
  return one.name === file.name && one.size === file.size && isAsOld;
}

function others(address) {
  return unfinished().filter((one) => one.address !== address);
}

function store(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // No room, or not allowed: an upload then lasts as long as the page.
  }
}
