/** Choosing files: by the file field, by dropping them anywhere on the page, by pasting. */

/** Call `taken(files)` for every choice, whichever way it was made. */
export function watchChoices({ input, zone, taken }) {
  input.multiple = true;
  input.required = false; // the chosen list below the field is what counts from here on
  input.addEventListener("change", () => {
    taken([...input.files]);
    input.value = ""; // so that the same file can be chosen again
  });
  watchDrops(zone, taken);
  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length) taken(files);
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
    taken(await filesOf(event.dataTransfer));
  });
}

async function filesOf(transfer) {
  // The entries must be asked for at once: the list is empty after the first await.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  return (await Promise.all(entries.map(filesUnder))).flat();
}

async function filesUnder(entry) {
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // A folder is told in parts of a hundred; an empty part is its end.
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return (await Promise.all(found.map(filesUnder))).flat();
    found.push(...some);
  }
}
