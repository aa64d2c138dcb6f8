/** What the page says about an upload and its jobs: the same words as app/api/sentences.py. */

import { coded, entryOf, explained, number, say, translated } from "./words.js";

const NOTHING = { status: "", note: "", tone: "busy", percent: 0, moving: false, download: false, again: false, cancel: false };

/** Say where one job stands; `size` is that of the upload, to compare the result with. */
export function tell(job, size) {
  switch (job.status) {
    case "queued": {
      const [status, note] = waiting(job);
      return { ...NOTHING, status, note, moving: true, cancel: true };
    }
    case "running":
      return { ...NOTHING, ...converting(job), note: lastTry(job) || say("job.meanwhile"), moving: true, cancel: true };
    case "succeeded": {
      const status = say("job.ready", { size: amount(job.result.size) });
      return { ...NOTHING, status, note: gain(job, size), tone: "good", percent: 100, download: true };
    }
    case "failed":
      return { ...NOTHING, ...failed(job.error), tone: "bad", again: true };
    default:
      return { ...NOTHING, status: say("job.cancelled"), note: say("job.cancelled_note"), tone: "idle", again: true };
  }
}

/** Return whole per cent, rounded down: 100 is said only when it is done. */
export function percentOf(progress) {
  return Math.max(0, Math.min(99, Math.floor((progress ?? 0) * 100 + 1e-6)));
}

/** Return a size as people write it: 812 bytes, 21 KB, 2.5 MB. */
export function amount(size) {
  if (size === null || size === undefined) return "";
  if (size < 1000) return say("amount.bytes", { count: size });
  const units = [...entryOf("amount.units")];
  let value = size / 1000;
  while (value >= 999.5 && units.length > 1) {
    value /= 1000;
    units.shift();
  }
  const rounded = Math.floor(value * 10 + 0.5) / 10;
  return say("amount.large", { number: number(rounded < 10 ? rounded : Math.floor(value + 0.5)), unit: units[0] });
}

/** Return the small line under a file's name: its size, its format, what is odd about it. */
export function facts({ size, format, name_says: claimed }) {
  const oddness = claimed && say("card.name_disagrees", { claimed, format });
  return [amount(size), (format ?? "").toUpperCase(), oddness].filter(Boolean).join(" · ");
}

/** Return why the bytes of an upload cannot become anything, or an empty text. */
export function problemOf(upload) {
  const { error } = upload;
  return error ? [...explained(`problems.${error.code}`, error.detail), coded(`problem_hints.${error.code}`, error.hint)].join(" ") : "";
}

function waiting(job) {
  if (job.waiting_for) {
    const reason = say("job.no_worker_for", { source: job.from, target: job.to });
    return [say("job.no_worker"), say("job.no_worker_note", { reason })];
  }
  if (job.retry_reason) {
    const attempt = Math.min(job.attempt + 1, job.max_attempts);
    return [say("job.to_retry", { attempt, most: job.max_attempts }), lastTry(job)];
  }
  const count = job.queue_position;
  return [count ? say("job.ahead", { count }) : say("job.next"), say("job.meanwhile")];
}

/** Say how far a conversion is; `step` is what stays the same while it only gets further. */
function converting({ attempt, max_attempts: most, progress, retry_reason: reason, stage }) {
  const percent = percentOf(progress);
  const key = attempt > 1 ? "job.try" : reason ? "job.once_more" : "job.first";
  const said = say(key, { attempt, most, percent });
  const status = stage ? say("job.stage", { converting: said, stage: translated(stage) }) : said;
  return { step: `${key} ${attempt}`, status, percent };
}

/** Say why a job failed, and below it what is known beyond that and what to do. */
function failed({ code, detail, hint }) {
  const [status, ...more] = explained(`failures.${code}`, detail);
  return { status, note: [...more, coded(`failure_hints.${code}`, hint)].join(" ") };
}

function lastTry({ retry_reason: reason }) {
  return reason ? say("job.last_try", { detail: explained(`failures.${reason.code}`, reason.detail).join(" ") }) : "";
}

function gain(job, size) {
  const { width, height, notes = [] } = job.result.facts ?? {};
  const percent = Math.floor(100 - (job.result.size * 100) / size);
  const dimensions = width && height && say("job.pixels", { width, height });
  const smaller = size && job.result.size < size && say("job.smaller", { percent });
  return [dimensions, smaller, ...notes.map(translated)].filter(Boolean).join(" · ");
}
