/** The browser's own picker where it gives handles: with one a file can be opened again after a reload. */

import { cameBy } from "./handles.js";

let isForbidden = false;

/** Whether to use it. On a phone the file field offers the camera and the photos, which the picker does not. */
export function canPick() {
  return "showOpenFilePicker" in window && !isForbidden && matchMedia("(pointer: fine)").matches;
}

/** Call `taken(files)` with what a person picks, nothing if they change their mind, `otherwise()` where it may not open. */
export async function pick(taken, otherwise) {
  let handles;
  try {
    handles = await window.showOpenFilePicker({ multiple: true });
  } catch (error) {
    isForbidden = error.name !== "AbortError";
    if (isForbidden) otherwise();
    return;
  }
  const files = await Promise.all(handles.map((handle) => handle.getFile()));
  files.forEach((file, index) => cameBy(file, handles[index]));
  taken(files);
}
