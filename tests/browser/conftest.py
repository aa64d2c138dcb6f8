"""A real Chromium before a whole Rowmill of real processes."""

import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from app import schema
from app.api.owners import COOKIE
from tests.browser.steps import a_large_picture
from tests.polling import poll
from tests.postgres import Server, installed
from tests.system.house import House, house_on

DEBIANS = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What the network does in a test is no fault of the page; a broken policy or script is.
HARMLESS = re.compile(r"Failed to load resource")

# As in most browsers: there the file field opens a dialogue, which Playwright can answer.
WITHOUT_PICKER = "delete window.showOpenFilePicker"

PATIENCE_MS = 60_000  # a machine may have more to do than this

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or else the one that Playwright installed."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        path = DEBIANS if DEBIANS.exists() else None
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def running(everyones: House) -> Iterator[House]:
    """The house, for a visitor who has never been there: nobody sees what other tests have sent."""
    everyones.visitor = secrets.token_urlsafe(32)
    yield everyones
    with everyones.client() as client:  # what still runs would keep its slot from the next test
        for upload in client.get("/uploads?limit=100").json()["uploads"]:
            if upload["status"] == "converting":
                client.delete(upload["links"]["self"])


@pytest.fixture(scope="session")
def everyones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One API and one worker for all tests that kill nothing; a busy machine loses no worker."""
    server = Server(installed()["18"])
    schema.upgrade(server.template_url())
    patient = {"ROWMILL_LEASE_SECONDS": "60"}
    with house_on(server, tmp_path_factory.mktemp("house"), **patient) as house:
        house.api()
        worker = house.start_worker(ROWMILL_SLOTS="2")  # it tries all converters, which takes long
        poll(lambda: worker.lines("worker.entered"), seconds=150, why=worker.log.read_text)
        yield house
    server.stop()


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes a while on a bad road, and converts in no time."""
    return a_large_picture(tmp_path_factory.mktemp("large"))


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Open pages in browsers of their own; at the end no script may have failed in any."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not HARMLESS.search(message.text):
            faults.append(message.text)

    def open_one(house: House, path: str = "/", **options: Any) -> Page:
        base = f"http://127.0.0.1:{house.api_port}"
        context = chromium.new_context(base_url=base, accept_downloads=True, **options)
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([{"name": COOKIE, "value": house.visitor, "url": base}])
        context.add_init_script(WITHOUT_PICKER)
        contexts.append(context)
        context.on("console", note)
        context.on("weberror", lambda failed: faults.append(str(failed.error)))
        page = context.new_page()
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []
