/** Looking at a result before it is downloaded: a picture, a player, the first page or the first rows. */

import { drawnRows, firstRows } from "./rows.js";
import { say } from "./words.js";

const PICTURES = new Set(["image/jpeg", "image/png", "image/webp", "image/avif", "image/gif", "image/bmp", "image/vnd.microsoft.icon"]);
const ROWS = new Set(["csv", "tsv", "ndjson", "jsonl", "json"]);
const MOST_BYTES_OF_A_PICTURE = 8_000_000;

/** Return how a result can be looked at: image, audio, video, rows, pdf; null if only a program can. */
export function wayToLook({ result } = {}) {
  if (!result) return null;
  if (PICTURES.has(result.media_type)) return result.size <= MOST_BYTES_OF_A_PICTURE ? "image" : null;
  if (ROWS.has(result.format) || result.facts?.first_rows) return "rows";
  if (result.media_type === "application/pdf") return navigator.pdfViewerEnabled ? "pdf" : null;
  const kind = result.media_type.split("/")[0];
  return ["audio", "video"].includes(kind) && player(kind).canPlayType(result.media_type) ? kind : null;
}

/** Show the picture of a result in the place of the badge; nothing moves by it. */
export function drawThumb(badge, job) {
  const source = wayToLook(job) === "image" ? inPlace(job) : "";
  const known = badge.querySelector("img");
  if ((known?.getAttribute("src") ?? "") === source) return;
  known?.remove();
  if (!source) return;
  const picture = Object.assign(document.createElement("img"), { loading: "lazy", decoding: "async", alt: "", src: source });
  picture.addEventListener("error", () => picture.remove());
  badge.append(picture);
}

/** Fill the part of a card in which a result is looked at, once it is opened. */
export function drawLook(look, name, job) {
  const way = wayToLook(job);
  const source = way ? inPlace(job) : "";
  look.toggleAttribute("data-still", !way);
  if (look.dataset.source === source) return;
  look.dataset.source = source;
  look.open = false;
  const summary = look.querySelector("summary");
  const stage = look.querySelector("[data-part='stage']");
  stage.replaceChildren();
  if (!way) return;
  summary.textContent = say(`look.${way}`);
  summary.setAttribute("aria-label", say("list.named", { what: say(`look.${way}`), name }));
  letScroll(stage, way === "rows" && say("look.first_rows", { name: job.result.name }));
  look.ontoggle = () => {
    if (look.open) show(stage, way, source, job.result);
    else stage.replaceChildren(); // which also ends what plays
  };
}

/** Let the keyboard reach what may be wider than its place. */
function letScroll(stage, label) {
  for (const [name, value] of Object.entries({ role: "region", tabindex: "0", "aria-label": label })) {
    if (label) stage.setAttribute(name, value);
    else stage.removeAttribute(name);
  }
}

async function show(stage, way, source, { name, facts }) {
  if (way === "rows") {
    const fetched = () => firstRows(source, name).catch(() => said(say("look.not_here")));
    stage.replaceChildren(facts?.first_rows ? drawnRows(facts.first_rows, name) : await fetched());
    return;
  }
  if (way === "pdf") {
    stage.replaceChildren(firstPage(source, name));
    return;
  }
  const shown = way === "image" ? Object.assign(document.createElement("img"), { alt: name }) : player(way);
  shown.addEventListener("error", () => stage.replaceChildren(said(say("look.not_here"))));
  if (way !== "image") Object.assign(shown, { controls: true, preload: "metadata", ariaLabel: name });
  shown.src = source;
  stage.replaceChildren(shown);
}

/** Return a frame in which the browser's own viewer, which is no part of this page, shows a document. */
function firstPage(source, name) {
  return Object.assign(document.createElement("iframe"), {
    title: say("look.first_page", { name }),
    src: `${source}#page=1&toolbar=0&navpanes=0&view=Fit`,
  });
}

function player(kind) {
  return document.createElement(kind);
}

function inPlace({ result }) {
  return `${result.href}?inline`;
}

function said(text) {
  return Object.assign(document.createElement("p"), { className: "soft", textContent: text });
}
