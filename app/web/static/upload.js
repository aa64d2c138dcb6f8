/** Pages with cards that the service drew, of one upload or of several: they are kept true from here on. */

import { countDoubleClicksOnce } from "./clicks.js";
import { Keeper } from "./keeper.js";
import { percentOf } from "./sentences.js";

const cards = [...document.querySelectorAll("[data-upload]")];
const title = document.title;

/** Say in the tab how far it is, for those who look at another one. */
function drawn(upload) {
  const job = upload.jobs.at(-1);
  document.title = job?.status === "running" ? `${percentOf(job.progress)} % · ${title}` : title;
}

function keeperOf(card) {
  const { upload: id } = card.dataset;
  const isAlone = cards.length === 1;
  const left = isAlone ? () => location.assign("/") : () => card.remove();
  const keeper = new Keeper({ id, links: { self: `/uploads/${id}` } }, { left, ...(isAlone && { drawn }) });
  keeper.show(card);
  return keeper;
}

countDoubleClicksOnce();
const keepers = cards.map(keeperOf);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) keepers.forEach((keeper) => keeper.lookAgain()); // another tab may have changed it
});
