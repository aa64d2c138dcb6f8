/** Handles of files on their way, kept where a browser gives them: after a reload one click opens the file again. */

const NAME = "rowmill";
const STORE = "handles";

const known = new WeakMap();

/** Note by which handle a file was chosen. */
export function cameBy(file, handle) {
  known.set(file, handle);
}

/** Keep the handle of a file that is on its way to `address`, if it has one. */
export async function keepHandle(address, file) {
  const handle = known.get(file);
  if (handle) await stored("readwrite", (handles) => handles.put(handle, address)).catch(() => {}); // only a comfort
}

/** Return the handle of what is on its way to `address`, or null. */
export async function handleOf(address) {
  return (await stored("readonly", (handles) => handles.get(address)).catch(() => null)) ?? null;
}

export async function dropHandle(address) {
  await stored("readwrite", (handles) => handles.delete(address)).catch(() => {});
}

/** Return the file again, null if the person or the browser says no. Has to begin with a click: the browser asks. */
export async function opened(handle) {
  try {
    const answer = await handle.requestPermission?.({ mode: "read" });
    if (answer === "denied") return null;
    const file = await handle.getFile();
    cameBy(file, handle);
    return file;
  } catch {
    return null; // gone, moved, or not asked in time
  }
}

function stored(mode, work) {
  return new Promise((done, failed) => {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => done(request.result);
      transaction.onabort = () => failed(transaction.error);
      opening.result.close(); // once the transaction is over
    };
  });
}
