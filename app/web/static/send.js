/** Sending one file in one request to a service without tus, where nothing can be resumed and nothing repeated. */

import { sendBody } from "./body.js";
import { keepToken } from "./tokens.js";

/** Send `file` and return the upload's document once the service has it for good; throw a Problem. */
export async function send(file, { to, options, signal, left }) {
  const headers = { Accept: "application/json", "Content-Type": "application/octet-stream" };
  const request = await sendBody("POST", `/uploads?${question(file, to, options)}`, file, { headers, signal, mayRepeat: false, left });
  const upload = JSON.parse(request.responseText);
  keepToken(upload.links.self, upload.manage);
  return upload;
}

function question(file, to, options) {
  const fields = new URLSearchParams({ name: file.name });
  if (to) fields.append("to", to);
  for (const [name, value] of Object.entries(options)) fields.append(name, value);
  return fields;
}
