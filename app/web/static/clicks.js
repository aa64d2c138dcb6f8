/** A double click counts once: by the second, another file's button may be below the pointer. */

export function countDoubleClicksOnce() {
  const isButton = ({ target }) => target.closest?.("button");
  document.addEventListener("click", (event) => {
    if (event.detail < 2 || !isButton(event)) return;
    event.preventDefault(); // of a form's button, its sending too
    event.stopImmediatePropagation();
  }, { capture: true });
}
