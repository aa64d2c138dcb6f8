"""What axe finds on the pages, in each of their states, light and dark: nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import over_a_road, slow_at_first, under_way
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    choose,
    convert,
    status_of,
    until_ready,
)
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system, pytest.mark.clients]

AXE = Path(__file__).parents[1] / "clients" / "node_modules" / "axe-core" / "axe.min.js"
# Frames are left out: what stands in one is a viewer's, and the page has no script in it.
LOOK = """async () => {
  const options = { iframes: false, resultTypes: ["violations"] };
  const { violations } = await axe.run(document, options);
  return violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html)].join("\\n  "));
}"""
THEMES: list[Any] = ["light", "dark"]

Find = Callable[[Page], None]


@pytest.fixture
def find_nothing() -> Find:
    """Fail with what axe finds on a page, in each theme; the page's policy stays in force."""
    source = AXE.read_text()

    def find(page: Page) -> None:
        page.evaluate(source)  # by the debugger, which no policy holds for
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            assert page.evaluate(LOOK) == [], f"{page.url} in the {theme}"

    return find


def test_a_page_with_faults_is_found_out(
    running: House, open_page: Open, find_nothing: Find
) -> None:
    page = open_page(running)
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    with pytest.raises(AssertionError, match="button-name"):
        find_nothing(page)


def test_before_anything_is_sent(running: House, open_page: Open, find_nothing: Find) -> None:
    page = open_page(running)
    find_nothing(page)
    choose(page, *[a_file(name, samples.sample("png")) for name in ("a.png", "b.png")])
    page.locator("#options summary").click()
    expect(page.get_by_label("Quality")).to_be_visible()
    find_nothing(page)
    page.evaluate("document.getElementById('send').dataset.limit = '10'")
    choose(page, a_file("c.png", samples.sample("png")))
    expect(page.get_by_role("alert")).to_contain_text("c.png is larger than")
    find_nothing(page)


def test_while_it_is_sent(running: House, open_page: Open, find_nothing: Find, large: Path) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = under_way(page, large)
        sent.get_by_role("button", name="Pause").click()
        expect(status_of(sent)).to_contain_text("Paused")
        find_nothing(page)
        page.reload()
        expect(status_of(card(page))).to_contain_text("Not sent whole")
        find_nothing(page)


def test_converting_ready_failed_and_cancelled(
    running: House, open_page: Open, find_nothing: Find
) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    card(page).get_by_label("Look at it: flag.png").click()
    card(page).get_by_text("Another format").click()
    convert(page, a_file("half.png", samples.sample("png")[:200]), to="webp")
    expect(card(page).locator(".job")).to_have_attribute("data-tone", "bad")
    path = a_slow_upload(running)
    page.reload()
    expect(status_of(card(page))).to_contain_text("onverting")
    find_nothing(page)
    page.goto(path)
    expect(status_of(card(page))).to_contain_text("onverting")
    find_nothing(page)
    card(page).get_by_role("button", name="Cancel").click()
    expect(status_of(card(page))).to_have_text("Cancelled")
    find_nothing(page)


def test_while_the_first_rows_are_looked_at(
    running: House, open_page: Open, find_nothing: Find
) -> None:
    page = open_page(running, viewport={"width": 320, "height": 640})
    rows = ",".join(f"column number {number}" for number in range(12))
    sent = convert(page, a_file("wide.csv", f"{rows}\n{rows}\n".encode()), to="tsv")
    until_ready(sent)
    sent.get_by_label("First rows: wide.csv").click()
    expect(sent.locator("tr")).to_have_count(2)
    find_nothing(page)


def test_the_page_of_a_guest_and_of_a_problem(
    running: House, open_page: Open, find_nothing: Find
) -> None:
    path = a_slow_upload(running, seconds=0)
    page = open_page(running, path)
    for address in (path, "/uploads"):
        page.goto(address)
        until_ready(card(page))
        find_nothing(page)
    page.context.clear_cookies()
    for address in (path, "/nowhere", "/uploads"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        find_nothing(page)
