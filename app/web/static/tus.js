/** The words of tus 1.0: begin an upload, ask where it stands, add to it, give it up. */

import { ask } from "./ask.js";
import { sendBody } from "./body.js";
import { keepToken } from "./tokens.js";

const VERSION = { "Tus-Resumable": "1.0.0" };
const NO_SUCH = new Set([404, 405, 501]);
const PIECES = "application/offset+octet-stream";

let spoken = null;

/** Whether the service speaks tus; asked until it has answered, since a log-in on the way says nothing of it. */
export function speaksTus() {
  spoken ??= ask("/uploads", { method: "OPTIONS" }).then(({ response }) => isOurs(response), (problem) => {
    if (NO_SUCH.has(problem.status)) return false;
    spoken = null;
    throw problem;
  });
  return spoken;
}

/** Begin an upload and return its address. With the same key it is the same upload, whatever was lost. */
export async function begin(file, { signal, ...how }) {
  const { response } = await ask("/uploads", { method: "POST", headers: creation(file, how), signal });
  return begun((name) => response.headers.get(name));
}

/** Begin an upload with all of its bytes in the same request, and return its address. */
export async function beginWhole(file, { signal, left, ...how }) {
  const headers = { ...creation(file, how), "Content-Type": PIECES, Accept: "application/json" };
  const request = await sendBody("POST", "/uploads", file, { headers, signal, mayRepeat: true, left });
  return begun((name) => request.getResponseHeader(name));
}

/** Return the address of what was begun; its token is kept. */
function begun(header) {
  const address = pathOf(header("Location"));
  keepToken(address, header("Upload-Manage"));
  return address;
}

/** Return the address of an upload from where a header says it is. */
export function pathOf(reference) {
  return new URL(reference, location.href).pathname;
}

/**
 * Return how many bytes are there, when the file had last been modified of which they are, null if
 * that was not told, and what it was to become, with which options but secret ones. Whatever still
 * writes to the upload, a ghost of ours, is ended by it.
 */
export async function standing(address, signal) {
  const { response } = await ask(address, { method: "HEAD", headers: VERSION, signal });
  const { filename, modified = null, to = "", ...options } = metadataOf(response);
  return { offset: Number(response.headers.get("Upload-Offset")), modified, to, options };
}

/** Send all that is missing, in one request. */
export function append(address, file, offset, { signal, watch }) {
  const headers = { ...VERSION, "Upload-Offset": String(offset), "Content-Type": PIECES, Accept: "application/json" };
  return sendBody("PATCH", address, file.slice(offset), { headers, signal, mayRepeat: true, watch });
}

/** Give an upload up, with all its bytes; the page need not stay for it. */
export function discard(address) {
  return ask(address, { method: "DELETE", headers: VERSION, keepalive: true });
}

/** Return a key that nobody can guess; randomUUID is missing on pages that came over plain HTTP. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isOurs(response) {
  const said = (name) => (response.headers.get(name) ?? "").split(",").map((word) => word.trim());
  return said("Tus-Version").includes("1.0.0") && said("Tus-Extension").includes("creation");
}

function creation(file, { to, options, key }) {
  const marks = [["filename", file.name], ["modified", String(file.lastModified)]];
  const metadata = [...marks, ...(to ? [["to", to]] : []), ...Object.entries(options)];
  return {
    ...VERSION,
    "Upload-Length": String(file.size),
    "Upload-Metadata": metadata.map(([name, value]) => `${name} ${base64(value)}`).join(),
    "Idempotency-Key": key,
  };
}

function metadataOf(response) {
  const pairs = (response.headers.get("Upload-Metadata") ?? "").split(",").filter(Boolean).map((pair) => pair.split(" "));
  return Object.fromEntries(pairs.map(([name, value = ""]) => [name, textOf(value)]));
}

function textOf(base64) {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)));
}

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
