/** The words of tus 1.0: begin an upload, ask where it stands, add to it, give it up. */

import { ask } from "./ask.js";
import { sendBody } from "./body.js";

const VERSION = { "Tus-Resumable": "1.0.0" };
const PIECES = "application/offset+octet-stream";

let spoken = null;

/** Whether the service speaks tus; asked once, and again only if nobody answered. */
export function speaksTus() {
  spoken ??= ask("/uploads", { method: "OPTIONS" }).then(({ response }) => isOurs(response), (problem) => {
    spoken = null;
    if (problem.passes) throw problem;
    return false;
  });
  return spoken;
}

/** Begin an upload and return its address. With the same key it is the same upload, whatever was lost. */
export async function begin(file, { signal, ...how }) {
  const { response } = await ask("/uploads", { method: "POST", headers: creation(file, how), signal });
  return pathOf(response.headers.get("Location"));
}

/** Begin an upload with all of its bytes in the same request, and return its address. */
export async function beginWhole(file, { signal, left, ...how }) {
  const headers = { ...creation(file, how), "Content-Type": PIECES, Accept: "application/json" };
  const request = await sendBody("POST", "/uploads", file, { headers, signal, mayRepeat: true, left });
  return pathOf(request.getResponseHeader("Location"));
}

/** Return the address of an upload from where a header says it is. */
export function pathOf(reference) {
  return new URL(reference, location.href).pathname;
}

/**
 * Return how many bytes are there, and when the file had last been modified of which they are, null if
 * that was not told. Whatever still writes to the upload, a ghost of ours, is ended by it.
 */
export async function standing(address, signal) {
  const { response } = await ask(address, { method: "HEAD", headers: VERSION, signal });
  const said = new Map((response.headers.get("Upload-Metadata") ?? "").split(",").map((pair) => pair.split(" ")));
  return { offset: Number(response.headers.get("Upload-Offset")), modified: said.has("modified") ? atob(said.get("modified")) : null };
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

function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
