/** Every sentence that the scripts say, in one table: to speak another language, give it another table. */

export const WORDS = {
  // Amounts
  bytes: (count) => (count === 1 ? "1 byte" : `${count} bytes`),
  units: ["KB", "MB", "GB", "TB"],
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,

  // Refusals that come without a text of their own, by HTTP status.
  titles: {
    413: "The file is too large for this service",
    429: "Too much at once",
    502: "The service cannot be reached",
    503: "The service cannot do this right now",
    504: "The service did not answer in time",
    507: "The service has no room left",
  },
  answered: (status) => `The service answered ${status}`,
  impostor: "Something else answers in place of the service.",
  impostorHint: "Does this network want you to log in?",
  unreachable: "The service cannot be reached.",
  unreachableHint: "Check the network, then try again.",
  mayBeOld: (reason) => `This may be old: ${reason}. It is asked again by itself.`,
  askedAgain: (message) => `${message} It is asked again by itself.`,

  // Choosing
  noFile: "Choose a file first.",
  tooLarge: (name, most) => `${name} is larger than ${most}, the most that is taken here. `,
  leftOut: (most, count) => `${most} files at a time: the last ${count} were left out.`,
  unread: (count) => `${count === 1 ? "One file" : `${count} files`} of the folder could not be read.`,
  noFormats: "The list of formats did not come. Files can be sent all the same; the service chooses what suits them.",
  convert: (count) => (count > 1 ? `Convert ${number(count)} files` : "Convert"),
  suitsEach: "Whatever suits each file",
  asAll: "As the others",
  targetOf: (name) => `Convert ${name} to`,
  notNow: (title, reason) => `${title} (not now: ${reason || "no worker can do it"})`,
  remove: "Remove",
  removeFile: (name) => `Remove ${name}`,
  notTaken: (name) => `${name} is not taken.`,
  more: (count) => `Show ${number(count)} more`,
  older: "Show older ones",
  nothingToSet: "There is nothing to set for these files together.",
  automatic: "automatic",

  // Sending
  inLine: "Waiting to be sent",
  sending: (percent) => `Sending ${percent} %`,
  storing: "Sent, being stored",
  way: (sent, total, speed, left) => `${sent} of ${total}${speed ? `, ${speed} a second` : ""}${left ? `, ${left} left` : ""}`,
  paused: (percent) => `Paused at ${percent} %`,
  pausedNote: (sent, total) => `${sent} of ${total} are there and stay there.`,
  goingOn: (percent) => `Interrupted at ${percent} %`,
  goesOn: (message) => `${message} It goes on by itself, from where it was.`,
  notNowSoon: "Not now, trying again soon",
  stalled: "Nothing moves on the way to the service.",
  elsewhere: "It is being sent from somewhere else.",
  elsewhereHint: "Another tab or device goes on with it. Go on here if that one is closed.",
  changedFile: (name) => `${name} has changed since it was chosen, or is gone.`,
  changedFileHint: "Choose it again.",
  brokenHint: (name) => `Check the network, and that ${name} is still where it was. Then try again.`,
  unfinished: (percent) => `Not sent whole: ${percent} % are there`,
  unfinishedNote: (name) => `Choose ${name} again, and it goes on from there.`,
  atHandNote: (name) => `Go on from there; the browser may ask whether this page may read ${name}.`,
  notOpened: (name) => `${name} could not be opened as it was. Choose it again, and it goes on from there.`,
  coming: (percent) => `Being sent elsewhere: ${percent} %`,
  comingNote: "Another tab or device is sending it; nothing needs to be done here.",
  arriving: (percent) => `On its way: ${percent} % are here`,
  arrivingNote: "It is converted once all of it is here; this page goes on by itself.",
  startsAnew: "What was there cannot be gone on with: it is sent from its beginning.",
  anotherFile: "What was begun there is another file of the same name and size.",
  pause: "Pause",
  goOn: "Go on",
  begins: (name) => `${name}: being sent`,
  notSent: (name) => `${name} is not sent.`,
  deleted: (name) => `${name} is deleted.`,

  // Many
  tally: ({ total, sent, ready, failed }) =>
    [
      sent < total ? `${number(sent)} of ${number(total)} files sent` : `${number(total)} files sent`,
      ready && `${number(ready)} ready`,
      failed && `${number(failed)} failed`,
    ].filter(Boolean).join(", "),
  manyBegin: (total) => `${number(total)} files are being sent`,

  // Converting
  meanwhile: "It goes on by itself; this page may be closed meanwhile.",
  waiting: (ahead) => `Stored, waiting (${ahead ? `${ahead} ahead` : "next in line"})`,
  waitingForWorker: "Waiting: no worker can do this now",
  waitingForWorkerNote: (reason) => `${reason} It starts by itself as soon as one can.`,
  waitingToRetry: (attempt, most) => `Stored, waiting for try ${attempt} of ${most}`,
  converting: (percent, stage) => `onverting ${percent} %${stage ? ` – ${stage}` : ""}`,
  tryOf: (attempt, most) => `Try ${attempt} of ${most}: c`,
  once: "Once more: c",
  first: "C",
  lastTry: (detail) => `The try before: ${detail}`,
  ready: (size) => `Ready, ${size}`,
  pixels: (width, height) => `${width} × ${height} pixels`,
  smaller: (percent) => `${percent} % smaller than the original`,
  cancelled: "Cancelled",
  cancelledNote: "Nothing was converted.",

  // Cards
  deleteFile: (name) => `Delete ${name}`,
  into: (name, to) => `${name} to ${to}`,
  download: (name, to) => `Download ${name} as ${to}`,
  downloadAll: (name) => `Download all that was made of ${name} as a ZIP`,
  anotherFormat: (name) => `Another format for ${name}`,
  look: { image: "Look at it", audio: "Play", video: "Play", rows: "First rows", pdf: "First page" },
  lookAt: (what, name) => `${what}: ${name}`,
  firstPage: (name) => `The first page of ${name}`,
  firstRows: (name) => `The first rows of ${name}`,
  noRows: "It has no rows.",
  noLook: "It cannot be shown here now. Download it instead.",
  copy: "Copy link",
  copied: "The link is copied.",
  notCopied: (link) => `The link cannot be copied here. It is ${link}`,
};

/** Write a large number as the reader's language does. */
export function number(value) {
  return value.toLocaleString("en");
}
