/** What becomes what here, as GET /formats tells it. */

import { ask } from "./ask.js";
import { translated } from "./words.js";

let known = { formats: [], pairs: [], options: {} };
let learning = null;
let byExtension = new Map();
let byName = new Map();
let pairsOf = new Map();

/** Learn the formats, once; without them the page still sends, and the service chooses. */
export function learn() {
  learning ??= ask("/formats", { cache: "default" }).then(({ said }) => index(said));
  return learning;
}

function index(said) {
  known = said;
  byName = new Map(said.formats.map((format) => [format.name, format]));
  byExtension = new Map(said.formats.flatMap(({ name, extensions }) => extensions.map((extension) => [extension, name])));
  pairsOf = grouped(said.pairs);
}

/** Return the format that the extension of a file name stands for, or null. */
export function formatOfName(filename) {
  return byExtension.get(/\.([^.]+)$/.exec(filename)?.[1].toLowerCase()) ?? null;
}

/** Return what files of a format can become: name, title, whether a live worker can do it (null: unknown), why not. */
export function targetsOf(format) {
  return (pairsOf.get(format) ?? []).map(described);
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

/** Keep of the options what a conversion of this file takes: others may become something else. */
export function fittingOptions(file, target, options) {
  const taken = optionsFor([file], target)?.properties ?? {};
  return Object.fromEntries(Object.entries(options).filter(([name]) => name in taken));
}

function sourcesOf(files) {
  return [...new Set(files.map((file) => formatOfName(file.name)).filter((format) => targetsOf(format).length))];
}

function described({ to, available, reason }) {
  return { name: to, title: translated(byName.get(to)?.title ?? to.toUpperCase()), available, reason: reason && translated(reason) };
}

function grouped(pairs) {
  const found = new Map();
  for (const pair of pairs) found.set(pair.from, [...(found.get(pair.from) ?? []), pair]);
  return found;
}
