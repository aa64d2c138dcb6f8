/** What the page says about an upload and its jobs: the same words as app/api/sentences.py. */

import { WORDS } from "./words.js";

const NOTHING = { status: "", note: "", tone: "busy", percent: 0, moving: false, download: false, again: false, cancel: false };

/** Say where one job stands; `size` is that of the upload, to compare the result with. */
export function tell(job, size) {
  switch (job.status) {
    case "queued": {
      const [status, note] = waiting(job);
      return { ...NOTHING, status, note, moving: true, cancel: true };
    }
    case "running": {
      const percent = percentOf(job.progress);
      return { ...NOTHING, status: converting(job, percent), note: lastTry(job) || WORDS.meanwhile, percent, moving: true, cancel: true };
    }
    case "succeeded":
      return { ...NOTHING, status: WORDS.ready(amount(job.result.size)), note: gain(job, size), tone: "good", percent: 100, download: true };
    case "failed":
      return { ...NOTHING, status: job.error.detail, note: job.error.hint, tone: "bad", again: true };
    default:
      return { ...NOTHING, status: WORDS.cancelled, note: WORDS.cancelledNote, tone: "idle", again: true };
  }
}

/** Return whole per cent, rounded down: 100 is said only when it is done. */
export function percentOf(progress) {
  return Math.max(0, Math.min(99, Math.floor((progress ?? 0) * 100 + 1e-6)));
}

/** Return a size as people write it: 812 bytes, 21 KB, 2.5 MB. */
export function amount(size) {
  if (size === null || size === undefined) return "";
  if (size < 1000) return WORDS.bytes(size);
  const units = [...WORDS.units];
  let value = size / 1000;
  while (value >= 999.5 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  const rounded = Math.floor(value * 10 + 0.5) / 10;
  return `${rounded < 10 ? rounded : Math.floor(value + 0.5)} ${units[0]}`;
}

/** Return the small line under a file's name: its size, its format, what is odd about it. */
export function facts(upload) {
  return [amount(upload.size), (upload.format ?? "").toUpperCase(), upload.name_disagrees].filter(Boolean).join(" · ");
}

/** Return why the bytes of an upload cannot become anything, or an empty text. */
export function problemOf(upload) {
  return [upload.error?.detail, upload.error?.hint].filter(Boolean).join(" ");
}

function waiting(job) {
  if (job.waiting_for) return [WORDS.waitingForWorker, WORDS.waitingForWorkerNote(job.waiting_for)];
  if (job.retry_reason) return [WORDS.waitingToRetry(Math.min(job.attempt + 1, job.max_attempts), job.max_attempts), lastTry(job)];
  return [WORDS.waiting(job.queue_position), WORDS.meanwhile];
}

function converting(job, percent) {
  const { first, once, tryOf } = WORDS;
  const tries = job.attempt > 1 ? tryOf(job.attempt, job.max_attempts) : job.retry_reason ? once : first;
  return tries + WORDS.converting(percent, job.stage);
}

function lastTry(job) {
  return job.retry_reason ? WORDS.lastTry(job.retry_reason.detail) : "";
}

function gain(job, size) {
  const known = job.result.facts ?? {};
  const parts = [];
  if (known.width && known.height) parts.push(WORDS.pixels(known.width, known.height));
  if (size && job.result.size < size) parts.push(WORDS.smaller(Math.floor(100 - (job.result.size * 100) / size)));
  return [...parts, ...(known.notes ?? [])].join(" · ");
}
