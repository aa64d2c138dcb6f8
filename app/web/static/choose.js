/** Choosing files: by the file field, as a folder, by dropping them anywhere on the page, by pasting. */

import { filesOf, isWanted } from "./folder.js";
import { canPick, pick } from "./pick.js";

/** Call `taken(files, unread)` for every choice, whichever way it was made. */
export function watchChoices({ input, folder, button, zone, taken }) {
  input.multiple = true;
  input.required = false; // the chosen list below the field is what counts from here on
  button.addEventListener("click", () => folder.click());
  input.addEventListener("click", (event) => {
    if (!canPick()) return;
    event.preventDefault();
    pick((files) => taken(files, 0), () => input.click());
  });
  for (const field of [input, folder]) {
    field.addEventListener("change", () => {
      const files = [...field.files];
      field.value = ""; // so that the same file can be chosen again
      taken(field === folder ? files.filter(isWanted) : files, 0);
    });
  }
  watchDrops(zone, taken);
  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) taken(files, 0);
  });
}

function watchDrops(zone, taken) {
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    zone.classList.toggle("over", depth > 0);
  };
  document.addEventListener("dragenter", () => over(1));
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    over(-depth);
    const { files, unread } = await filesOf(event.dataTransfer);
    taken(files, unread);
  });
}
