/** The page of one upload: the card that the service drew, kept true from here on. */

import { Keeper } from "./keeper.js";
import { percentOf } from "./sentences.js";

const card = document.querySelector("[data-upload]");
const title = document.title;

/** Say in the tab how far it is, for those who look at another one. */
function drawn(upload) {
  const job = upload.jobs.at(-1);
  document.title = job?.status === "running" ? `${percentOf(job.progress)} % · ${title}` : title;
}

const upload = { id: card.dataset.upload, links: { self: `/uploads/${card.dataset.upload}` } };
new Keeper(upload, { drawn, left: () => location.assign("/") }).show(card);
