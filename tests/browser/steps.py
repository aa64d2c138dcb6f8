"""What a person does on the page, and how a test waits for what the page answers."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, FilePayload, Locator, Page, Route, expect

from tests import samples
from tests.polling import poll
from tests.system.house import House

READY = re.compile("^Ready")
LOOKED_AT = "document.dispatchEvent(new Event('visibilitychange'))"


def a_file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def a_large_picture(folder: Path, name: str = "large") -> Path:
    """Write 30 MB that convert in no time: a third of it may be under way in buffers."""
    path = folder / f"{name}.bmp"
    path.write_bytes(samples.encoded(samples.flag((2000, 5000)), "bmp"))
    return path


def choose(page: Page, *files: FilePayload | Path) -> None:
    """Choose files through the dialogue that a click on the zone opens."""
    with page.expect_file_chooser() as dialogue:
        page.locator("#zone").click()
    dialogue.value.set_files(list(files))  # type: ignore[arg-type]  # both kinds are taken


def convert(page: Page, *files: FilePayload | Path, to: str | None = None) -> Locator:
    """Choose files, choose a format, send; return the newest card."""
    choose(page, *files)
    if to is not None:
        page.get_by_label("Convert to", exact=True).select_option(to)
    page.locator("#go").click()
    return card(page)


def card(page: Page, index: int = 0) -> Locator:
    return page.locator(".card").nth(index)


def a_slow_upload(house: House, *, seconds: int = 300) -> str:
    """Have a file that takes its time, and gets on each second; return the path of its page."""
    steps = str(max(1, seconds))
    query = {"name": "slow.png", "to": "nap", "seconds": str(seconds), "progress_steps": steps}
    with house.client() as client:
        document = client.post("/uploads", params=query, content=samples.sample("png")).json()
    return str(document["links"]["self"])


def status_of(card: Locator, number: int = 1) -> Locator:
    return card.locator(f'[data-number="{number}"] [data-part="status"]')


def note_of(card: Locator, number: int = 1) -> Locator:
    return card.locator(f'[data-number="{number}"] [data-part="note"]')


def until_ready(card: Locator, number: int = 1) -> None:
    expect(status_of(card, number)).to_have_text(READY)


def holding(held: list[Route], method: str) -> Callable[[Route], None]:
    """Return a handler that keeps the requests of this method in `held`, and lets others go."""

    def hold(route: Route) -> None:
        if route.request.method == method:
            held.append(route)
        else:
            route.continue_()

    return hold


def look_until(page: Page, shows: Callable[[], bool]) -> None:
    """Come back to a page until it shows this; while it asks already, it asks no more."""

    def is_shown() -> bool:
        if not (is_there := shows()):
            page.evaluate(LOOKED_AT)
        return is_there

    poll(is_shown)


def evaluated(page: Page, script: str, *given: Any) -> Any:
    """Evaluate a script in a page that may renew itself meanwhile."""

    def evaluate() -> list[Any]:
        try:
            return [page.evaluate(script, *given)]
        except Error as error:
            if "context was destroyed" not in error.message:
                raise
            return []

    return poll(evaluate)[0]


def watch(page: Page, part: str) -> None:
    """Note from now on all that this part of the first card says, however briefly."""
    page.evaluate(
        """part => {
            window.told = [];
            const look = () => {
                const text = document.querySelector(`.card [data-part="${part}"]`)?.textContent;
                if (text && text !== told.at(-1)) told.push(text);
            };
            const all = { subtree: true, childList: true, characterData: true };
            new MutationObserver(look).observe(document.getElementById("cards"), all);
        }""",
        part,
    )


def told(page: Page) -> list[str]:
    """Return what a watched part has said, in order."""
    said: list[str] = page.evaluate("told")
    return said


def download(page: Page, link: Locator) -> tuple[str, bytes]:
    """Click, and return the name and the bytes that arrive."""
    with page.expect_download() as arriving:
        link.click()
    return arriving.value.suggested_filename, Path(arriving.value.path()).read_bytes()
