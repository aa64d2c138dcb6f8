/** The tokens of what this page has sent: with them it may be changed even where the browser keeps no cookie. */

const HEADER = "Upload-Manage";
const OF_ONE = /^\/uploads\/[\w-]+/;

const tokens = new Map();

/** Keep the token of an upload in memory, as long as the page is there. */
export function keepToken(address, token) {
  if (token) tokens.set(address, token);
}

/** Return the header that a change of this upload, or of what belongs to it, needs. */
export function tokenFor(path) {
  const [address] = OF_ONE.exec(new URL(path, location.href).pathname) ?? [];
  return tokens.has(address) ? { [HEADER]: tokens.get(address) } : {};
}
