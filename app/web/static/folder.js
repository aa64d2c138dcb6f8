/** The files of what was dropped: folders are walked through, however much is in them. */

import { cameBy } from "./handles.js";

// Whoever drops more drops small ones, which are sent again sooner than they are opened.
const MOST_HANDLES = 20;
const OF_THE_SYSTEM = new Set(["Thumbs.db", "desktop.ini"]);

/** Whether a person means this file when they mean its folder. */
export function isWanted(file) {
  return !file.name.startsWith(".") && !OF_THE_SYSTEM.has(file.name);
}

/** Return the files that were dropped, and how many could not be read. */
export async function filesOf(transfer) {
  // The entries must be asked for at once: the list is empty after the first await.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return { files: withHandles(transfer), unread: 0 };
  const found = await filesUnder(entries);
  const files = found.filter((file) => file && isWanted(file));
  return { files, unread: found.filter((file) => !file).length };
}

/** Return the files; the handles of a few come a moment later, which is soon enough for a reload. */
function withHandles(transfer) {
  const files = [...transfer.files];
  const items = [...transfer.items].filter((item) => item.kind === "file");
  if (files.length > MOST_HANDLES || items.length !== files.length) return files;
  for (const [index, item] of items.entries()) {
    item.getAsFileSystemHandle?.().then((handle) => handle && cameBy(files[index], handle), () => {});
  }
  return files;
}

async function filesUnder(entries) {
  const found = await Promise.all(entries.map((entry) => (entry.isFile ? fileOf(entry) : entriesOf(entry).then(filesUnder))));
  return found.flat();
}

function fileOf(entry) {
  return new Promise((done) => entry.file(done, () => done(null)));
}

/** A folder is told in parts of a hundred; an empty part is its end. */
async function entriesOf(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done) => reader.readEntries(done, () => done([])));
    if (!some.length) return found;
    for (const entry of some) found.push(entry);
  }
}
