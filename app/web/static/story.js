/** What happened to an upload, told anew whenever somebody unfolds it. */

const story = document.querySelector("[data-story]");

async function tellAnew() {
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) return; // what was told before stays true
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.querySelector("[data-story]");
  if (now) story.replaceChildren(story.firstElementChild, ...[...now.children].slice(1));
}

story?.addEventListener("toggle", () => story.open && tellAnew().catch(() => {}));
