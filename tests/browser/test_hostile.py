"""Names that were made to do harm are text, in every place that shows one."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import UNDER_WAY, over_a_road, slow_at_first
from tests.browser.steps import (
    a_file,
    a_large_picture,
    card,
    choose,
    convert,
    download,
    status_of,
    until_ready,
)
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

HOSTILE = '<img src=x onerror="harmed=1">\u202egnp.{{7*7}}&lt;b&gt;\'"'
# What is left of it once the service has taken out what no file name may have.
CLEANED = re.compile(r"img src=x onerror=.*\{\{7.7\}\}&lt;b&gt;")
HARM = """() => [
  globalThis.harmed ?? 0,
  document.querySelectorAll("[onerror], img[src=x], b").length,
  document.documentElement.outerHTML.includes("49}}") ? 1 : 0,
]"""


def test_before_it_is_sent(running: House, open_page: Open) -> None:
    page = open_page(running)
    for end in (".png", ".webp"):
        choose(page, a_file(HOSTILE + end, samples.sample(end[1:])))
    names = page.locator("#chosen .name")
    expect(names).to_have_text([f"{HOSTILE}.png", f"{HOSTILE}.webp"])
    for text in (f"Convert {HOSTILE}.png to", f"Remove {HOSTILE}.png"):
        expect(page.get_by_label(text, exact=True)).to_be_visible()
    page.evaluate("document.getElementById('send').dataset.limit = '10'")
    choose(page, a_file(HOSTILE, b"more than ten bytes"))
    expect(page.get_by_role("alert")).to_contain_text(HOSTILE)
    page.get_by_label(f"Remove {HOSTILE}.png", exact=True).click()
    expect(page.locator("#said")).to_have_text(f"{HOSTILE}.png is not taken.")
    _unharmed(page)


def test_while_it_is_sent_and_after_a_reload(
    running: House, open_page: Open, tmp_path: Path
) -> None:
    path = a_large_picture(tmp_path, HOSTILE.replace("/", ""))
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = convert(page, path, to="jpg")
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        sent.get_by_role("button", name="Pause").click()
        expect(sent.locator('[data-part="name"]')).to_have_text(path.name)
        _unharmed(page)
        expect(page.locator("#said")).to_contain_text(path.name)
        page.reload()
        expect(status_of(card(page))).to_contain_text("Not sent whole")
        expect(card(page).locator('[data-part="note"]')).to_contain_text(path.name)
        _unharmed(page)
        page.evaluate("localStorage.clear()")
        page.reload()  # now it is the service that names it
        expect(status_of(card(page))).to_contain_text("Not sent whole")
        expect(card(page).locator('[data-part="name"]')).to_have_text(CLEANED)
        _unharmed(page)


def test_on_its_card_its_page_and_in_what_it_became(running: House, open_page: Open) -> None:
    page = open_page(running)
    sent = convert(page, a_file(f"{HOSTILE}.png", samples.sample("png")), to="webp")
    until_ready(sent)
    expect(sent.locator('[data-part="name"]')).to_have_text(CLEANED)
    expect(page.locator("#said")).to_have_text(re.compile(f"{CLEANED.pattern}.*Ready"))
    for part in ("download", "copy", "delete", "all"):
        expect(sent.locator(f'[data-part="{part}"]')).to_have_attribute("aria-label", CLEANED)
    sent.get_by_label("Look at it").click()
    expect(sent.get_by_role("img", name=CLEANED)).to_be_visible()
    name, _ = download(page, sent.get_by_role("link", name="Download"))
    assert re.fullmatch(r"[^/\\<>:\"|?*\u202e]+\.webp", name)
    path = str(sent.get_by_role("link").first.get_attribute("href"))
    _unharmed(page)
    for scripts in (True, False):
        other = open_page(running, path, java_script_enabled=scripts)
        expect(other).to_have_title(CLEANED)
        expect(other.get_by_role("heading", level=1)).to_have_text(CLEANED)
        _unharmed(other)
    sent.get_by_label("Delete").click()
    expect(page.locator("#said")).to_have_text(re.compile(f"{CLEANED.pattern}.* is deleted"))
    _unharmed(page)


def test_in_tables_and_frames_that_show_it(running: House, open_page: Open) -> None:
    page = open_page(running)
    rows = json.dumps([{HOSTILE: HOSTILE}]).encode()
    sent = convert(page, a_file(f"{HOSTILE}.json", rows), to="csv")
    until_ready(sent)
    sent.get_by_label("First rows:").click()
    expect(sent.locator("td")).to_have_text([HOSTILE, HOSTILE])
    expect(sent.locator("caption")).to_have_text(CLEANED)
    _unharmed(page)


@pytest.mark.parametrize("scripts", [True, False])
def test_in_an_address_that_leads_nowhere(running: House, open_page: Open, scripts: bool) -> None:
    page = open_page(running, java_script_enabled=scripts)
    for address in ("/uploads/", "/uploads/x/", "/"):
        page.goto(address + quote(HOSTILE, safe=""))
        expect(page.get_by_role("link", name="Back to the start")).to_be_visible()
        _unharmed(page)


def _unharmed(page: Page) -> None:
    assert page.evaluate(HARM) == [0, 0, 0]
