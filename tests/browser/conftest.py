"""A real Chromium before a whole Rowmill of real processes."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from app import schema
from app.api.owners import COOKIE
from tests.postgres import Server, installed
from tests.system.house import VISITOR, House, house_on

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

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or else the one that Playwright installed."""
    with sync_playwright() as playwright:
        path = DEBIANS if DEBIANS.exists() else None
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One API and one worker for all tests that kill nothing."""
    server = Server(installed()["18"])
    schema.upgrade(server.template_url())
    with house_on(server, tmp_path_factory.mktemp("house")) as house:
        house.api()
        house.worker(ROWMILL_SLOTS="2")
        yield house
    server.stop()


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
        context.set_default_timeout(20_000)
        context.add_cookies([{"name": COOKIE, "value": VISITOR, "url": base}])
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []
