/** What the page says about an upload and its jobs: the same words as app/api/sentences.py. */

const NOTHING = { status: "", note: "", tone: "busy", percent: 0, moving: false, download: false, again: false, cancel: false };

const MEANWHILE = "It goes on by itself; this page may be closed meanwhile.";

/** Say where one job stands; `size` is that of the upload, to compare the result with. */
export function tell(job, size) {
  switch (job.status) {
    case "queued": {
      const [status, note] = waiting(job);
      return { ...NOTHING, status, note, moving: true, cancel: true };
    }
    case "running": {
      const percent = percentOf(job.progress);
      return { ...NOTHING, status: converting(job, percent), note: lastTry(job) || MEANWHILE, percent, moving: true, cancel: true };
    }
    case "succeeded":
      return { ...NOTHING, status: `Ready, ${amount(job.result.size)}`, note: gain(job, size), tone: "good", percent: 100, download: true };
    case "failed":
      return { ...NOTHING, status: job.error.detail, note: job.error.hint, tone: "bad", again: true };
    default:
      return { ...NOTHING, status: "Cancelled", note: "Nothing was converted.", tone: "idle", again: true };
  }
}

/** Say how far a file that is being sent has come; 100 % is said only when the service has it. */
export function tellSending({ sent = 0, total = 0, seconds = null } = {}) {
  const percent = total ? percentOf(sent / total) : 0;
  const whole = total > 0 && sent >= total;
  const left = seconds === null ? "" : `, ${duration(seconds)} left`;
  const status = whole ? "Sent, being stored" : `Sending ${percent} %`;
  return { ...NOTHING, status, note: whole ? "" : `${amount(sent)} of ${amount(total)}${left}`, percent, moving: true, cancel: true };
}

export function tellInLine() {
  return { ...NOTHING, status: "Waiting to be sent", moving: true, cancel: true };
}

/** Say why a file was not taken, and whether it is tried again without anybody's help. */
export function tellFailed(problem, { tries, most }) {
  if ([429, 503].includes(problem.status) && tries < most) {
    return { ...NOTHING, status: "Not now, trying again soon", note: problem.message, moving: true, cancel: true };
  }
  return { ...NOTHING, status: problem.message, note: problem.hint, tone: "bad", again: true };
}

/** Return whole per cent, rounded down: 100 is said only when it is done. */
export function percentOf(progress) {
  return Math.max(0, Math.min(99, Math.floor((progress ?? 0) * 100 + 1e-6)));
}

/** Return a size as people write it: 812 bytes, 21 KB, 2.5 MB. */
export function amount(size) {
  if (size === null || size === undefined) return "";
  if (size < 1000) return size === 1 ? "1 byte" : `${size} bytes`;
  const units = ["KB", "MB", "GB", "TB"];
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

/** Return a time as people say it: 8 s, 3 min. */
function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.ceil(seconds))} s` : `${Math.ceil(seconds / 60)} min`;
}

function waiting(job) {
  if (job.waiting_for) return ["Waiting: no worker can do this now", `${job.waiting_for} It starts by itself as soon as one can.`];
  if (job.retry_reason) return ["Waiting to try again", lastTry(job)];
  const line = job.queue_position ? `${job.queue_position} ahead` : "next in line";
  return [`Waiting (${line})`, MEANWHILE];
}

function converting(job, percent) {
  const tries = job.attempt > 1 ? `Try ${job.attempt} of ${job.max_attempts}: c` : "C";
  return `${tries}onverting ${percent} %${job.stage ? ` – ${job.stage}` : ""}`;
}

function lastTry(job) {
  return job.retry_reason ? `The try before: ${job.retry_reason.detail}` : "";
}

function gain(job, size) {
  const known = job.result.facts ?? {};
  const parts = [];
  if (known.width && known.height) parts.push(`${known.width} × ${known.height} pixels`);
  if (size && job.result.size < size) parts.push(`${Math.floor(100 - (job.result.size * 100) / size)} % smaller than the original`);
  return [...parts, ...(known.notes ?? [])].join(" · ");
}
