"""What a person does on the page, and how a test waits for what the page answers."""

import re
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests import samples
from tests.system.house import House

READY = re.compile("^Ready")


def a_file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


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


def a_slow_upload(house: House, *, seconds: int = 60) -> str:
    """Have a file that takes its time; return the path of its page."""
    query = {"name": "slow.png", "to": "nap", "seconds": str(seconds)}
    with house.client() as client:
        document = client.post("/uploads", params=query, content=samples.sample("png")).json()
    return str(document["links"]["self"])


def status_of(card: Locator, number: int = 1) -> Locator:
    return card.locator(f'[data-number="{number}"] [data-part="status"]')


def note_of(card: Locator, number: int = 1) -> Locator:
    return card.locator(f'[data-number="{number}"] [data-part="note"]')


def until_ready(card: Locator, number: int = 1) -> None:
    expect(status_of(card, number)).to_have_text(READY, timeout=30_000)


def download(page: Page, link: Locator) -> tuple[str, bytes]:
    """Click, and return the name and the bytes that arrive."""
    with page.expect_download() as arriving:
        link.click()
    return arriving.value.suggested_filename, Path(arriving.value.path()).read_bytes()
