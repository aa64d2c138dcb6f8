"""Whose a file is, in real browsers: its sender may change it, a guest may only look."""

import pytest
from playwright.sync_api import Browser, Page, expect

from app.api.owners import COOKIE
from tests import plain, samples
from tests.browser.conftest import PATIENCE_MS, WITHOUT_PICKER, Open
from tests.browser.steps import a_file, convert, until_ready
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]


def test_the_browser_that_sent_a_file_may_delete_it_and_a_guest_may_look(
    chromium: Browser, running: House
) -> None:
    base = f"http://127.0.0.1:{running.api_port}"
    sender, guest = (chromium.new_context(base_url=base).new_page() for _ in range(2))
    for one in (sender, guest):
        one.set_default_timeout(PATIENCE_MS)
    sender.add_init_script(WITHOUT_PICKER)
    sender.goto("/")
    (cookie,) = sender.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (COOKIE, True, "Lax")
    until_ready(convert(sender, a_file("mine.png", samples.sample("png")), to="webp"))
    (path,) = listed(sender)
    guest.goto(path)
    expect(guest.get_by_role("heading", level=1)).to_contain_text("mine.png")
    assert listed(guest) == []
    assert deleted(guest, path) == 403
    assert plain.get(base + path).status_code == 200
    assert deleted(sender, path) == 204
    sender.context.close()
    guest.context.close()


def test_what_a_page_has_sent_it_may_change_although_its_cookie_is_gone(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    names = ("a.png", "b.png")
    page.context.clear_cookies()
    for name in names:
        until_ready(convert(page, a_file(name, samples.sample("png")), to="webp"))
        page.context.clear_cookies()
    for name in names:
        page.get_by_role("button", name=f"Delete {name}").click()
        expect(page.locator("#said")).to_have_text(f"{name} is deleted.")


def listed(page: Page) -> list[str]:
    """Return the addresses of what the service knows to be this browser's."""
    script = (
        "async () => (await (await fetch('/uploads')).json()).uploads.map((one) => one.links.self)"
    )
    found: list[str] = page.evaluate(script)
    return found


def deleted(page: Page, path: str) -> int:
    """Ask for deletion as the page would; return the status of the answer."""
    script = "async (path) => (await fetch(path, { method: 'DELETE' })).status"
    status: int = page.evaluate(script, path)
    return status
