/** Following uploads that have no card: one question tells of a hundred of them. */

import { Problem } from "./ask.js";
import { isOpen } from "./follow.js";
import { insist } from "./insist.js";
import { pause } from "./pause.js";

const FIRST = "/uploads?limit=100";
const USUAL_SECONDS = 2;
const REFUSED_SECONDS = 30;

const followed = new Map();
let isLooking = false;

/**
 * Call `changed(document)` each time it is looked at, until it is settled or the signal says stop;
 * `missed()` if the list of this browser does not have it.
 */
export function followListed(address, { signal, changed, missed }) {
  return new Promise((done) => {
    const end = () => {
      followed.delete(address);
      done();
    };
    followed.set(address, { changed, missed, end });
    signal.addEventListener("abort", end);
    if (!isLooking) look();
  });
}

async function look() {
  isLooking = true;
  let rest = USUAL_SECONDS;
  while (followed.size) {
    await pause(rest * (document.hidden ? 5 : 1));
    rest = await asked();
  }
  isLooking = false;
}

/** Ask once for all; return how long to rest: a page of the list a second is enough. */
async function asked() {
  try {
    return Math.max(USUAL_SECONDS, await askForAll());
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return REFUSED_SECONDS;
  }
}

/** Go through the list until all are found; return how many pages that took. */
async function askForAll() {
  const missing = new Set(followed.keys());
  let pages = 0;
  for (let path = FIRST; path && missing.size; pages += 1) {
    const { uploads, links } = await insist(path);
    uploads.forEach(tell);
    for (const upload of uploads) missing.delete(upload.links.self);
    path = links.next;
  }
  for (const address of missing) miss(address);
  return pages;
}

function tell(upload) {
  const one = followed.get(upload.links.self);
  one?.changed(upload);
  if (!isOpen(upload)) one?.end();
}

function miss(address) {
  const one = followed.get(address);
  one?.end();
  one?.missed();
}
