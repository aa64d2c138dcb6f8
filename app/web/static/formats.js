/** What becomes what here, as GET /formats tells it. */

import { ask } from "./ask.js";

let known = { formats: [], pairs: [], options: {} };
let learning = null;

/** Learn the formats, once; without them the page still sends, and the service chooses. */
export function learn() {
  learning ??= ask("/formats").then(({ said }) => (known = said));
  return learning;
}

/** Return the format that the extension of a file name stands for, or null. */
export function formatOfName(filename) {
  const extension = /\.([^.]+)$/.exec(filename)?.[1].toLowerCase();
  return known.formats.find(({ extensions }) => extensions.includes(extension))?.name ?? null;
}

/** Return what files of a format can become: name, title, whether a live worker can do it (null: unknown). */
export function targetsOf(format) {
  return known.pairs.filter((pair) => pair.from === format).map(described);
}

/** Return what all of these files can become; null if there is none whose format shows. */
export function commonTargets(files) {
  const sources = sourcesOf(files);
  if (!sources.length) return null;
  const [first, ...others] = sources.map(targetsOf);
  return first.filter(({ name }) => others.every((targets) => targets.some((target) => target.name === name)));
}

/** Return what these files usually become, if that is the same for all. */
export function usualTarget(files) {
  const usual = new Set(sourcesOf(files).map((source) => known.pairs.find((pair) => pair.from === source && pair.default)?.to));
  return usual.size === 1 ? [...usual][0] : undefined;
}

/** Return the JSON Schema of the options with which these files become `target`; null if none fits all. */
export function optionsFor(files, target) {
  const wanted = (pair, source) => pair.from === source && (target ? pair.to === target : pair.default);
  const kinds = new Set(sourcesOf(files).map((source) => known.pairs.find((pair) => wanted(pair, source))?.kind));
  return kinds.size === 1 ? (known.options[[...kinds][0]] ?? null) : null;
}

function sourcesOf(files) {
  return [...new Set(files.map((file) => formatOfName(file.name)).filter((format) => targetsOf(format).length))];
}

function described({ to, available }) {
  const title = known.formats.find(({ name }) => name === to)?.title ?? to.toUpperCase();
  return { name: to, title, available };
}
