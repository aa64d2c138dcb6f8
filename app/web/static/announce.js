/** Saying things to those who do not see the page: politely, and not every per cent. */

const said = new WeakMap();
let isQuiet = false;

/** Speak a sentence once the voice is free. */
export function announce(sentence) {
  document.getElementById("said").textContent = sentence;
}

/** Speak of one file, unless there are many. */
export function announceOne(sentence) {
  if (!isQuiet) announce(sentence);
}

/** Leave single files unspoken while there are many: the whole is spoken of instead. */
export function beQuiet(many) {
  isQuiet = many;
}

/** Speak of something that moves when its words change, and at each quarter of the way. */
export function announceMove(key, subject, { step, status, percent, moving }) {
  const words = moving ? `${step ?? status}${Math.floor(percent / 25)}` : status;
  if (said.get(key) === words) return;
  const known = said.has(key);
  said.set(key, words);
  if (known || !moving) announceOne(`${subject}: ${status}`);
}
