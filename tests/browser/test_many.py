"""Many files: folders, drops, a format for each; the page draws no more than is looked at."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.api import assets
from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import a_file, card, choose, until_ready
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

DROP_MANY = """count => {
    const transfer = new DataTransfer();
    for (let number = 1; number <= count; number += 1)
        transfer.items.add(new File([String(number)], `${number}.png`, { lastModified: 1 }));
    const drop = new DragEvent("drop", { dataTransfer: transfer, cancelable: true, bubbles: true });
    document.body.dispatchEvent(drop);
}"""

# How many bodies are on their way at the same time, at most.
COUNT_BODIES = """() => {
    Object.assign(window, { going: 0, most: 0 });
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
        going += 1;
        most = Math.max(most, going);
        this.addEventListener("loadend", () => (going -= 1));
        return send.call(this, body);
    };
}"""

NOTE_FREEZES = """() => {
    window.freezes = [];
    const note = (list) => freezes.push(...list.getEntries().map((one) => one.duration));
    new PerformanceObserver(note).observe({ type: "longtask" });
}"""
A_HUNDRED_SENT = re.compile(r"^([1-9]\d\d|\d,\d{3}) of 5,000 files sent")
FROZEN_MS = 8_000  # it is 0.4 s where nothing else runs, and 3 s where ten others do

# A service that lists a thousand uploads, all of them ready since the second look.
THOUSAND = """async address => {
    const { followListed } = await import(address);
    Object.assign(window, { known: 0, asked: 0 });
    const path = (number) => `/uploads/n${number}`;
    const pages = 10;
    window.fetch = async (asked) => {
        window.asked += 1;
        const at = Number(new URL(asked, location.href).searchParams.get("before") ?? 0);
        const status = window.asked > pages ? "ready" : "converting";
        const one = (_, index) => ({ status, links: { self: path(at * 100 + index) } });
        const uploads = Array.from({ length: 100 }, one);
        const next = at + 1 < pages ? `/uploads?limit=100&before=${at + 1}` : null;
        return new Response(JSON.stringify({ uploads, links: { next } }));
    };
    for (let number = 0; number < 1000; number += 1) followListed(path(number), {
        signal: new AbortController().signal,
        changed: ({ status }) => (window.known += status === "ready"),
        missed() {},
    });
}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """130 pictures in one folder, one more in a folder inside, and what systems leave there."""
    inside = tmp_path / "holiday" / "second day"
    inside.mkdir(parents=True)
    for number in range(130):
        (inside.parent / f"{number}.png").write_bytes(samples.sample("png"))
    (inside / "last.png").write_bytes(samples.sample("png"))
    (inside / ".DS_Store").write_bytes(b"of the system")
    return inside.parent


def test_a_folder_is_chosen_with_all_that_is_in_it(
    running: House, open_page: Open, folder: Path
) -> None:
    page = open_page(running)
    with page.expect_file_chooser() as dialogue:
        page.get_by_role("button", name="Choose a whole folder").click()
    dialogue.value.set_files(folder)
    expect(page.locator("#go")).to_have_text("Convert 131 files")


def test_a_folder_that_is_dropped_anywhere_is_walked_through(
    running: House, open_page: Open, folder: Path
) -> None:
    page = open_page(running)
    expect(page.locator("#choose-folder")).to_be_visible()
    browser = page.context.new_cdp_session(page)
    dragged = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"type": kind, "x": 20, "y": 20, "data": dragged}
        browser.send("Input.dispatchDragEvent", place)
    expect(page.locator("#go")).to_have_text("Convert 131 files")


def test_thousands_of_files_are_listed_as_far_as_they_are_looked_at(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    page.evaluate(DROP_MANY, 3000)
    expect(page.locator("#go")).to_have_text("Convert 3,000 files")
    rows = page.locator("#chosen li")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Show 50 more").click()
    expect(rows).to_have_count(100)
    expect(rows.nth(50).get_by_role("combobox")).to_be_focused()
    rows.first.get_by_role("button", name="Remove 1.png").click()
    expect(page.locator("#go")).to_have_text("Convert 2,999 files")
    expect(rows).to_have_count(100)
    page.evaluate(DROP_MANY, 3000)  # what is there already is not taken twice
    expect(page.locator("#go")).to_have_text("Convert 3,000 files")


def test_while_a_hundred_of_five_thousand_arrive_the_page_goes_on_answering(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    page.evaluate(NOTE_FREEZES)
    page.evaluate(DROP_MANY, 5000)
    page.get_by_role("button", name="Convert 5,000 files").click()
    expect(page.locator(".card")).to_have_count(30)
    expect(page.locator("#tally")).to_have_text(A_HUNDRED_SENT)
    page.get_by_role("button", name="Show 30 more").click()
    expect(page.locator(".card")).to_have_count(60)
    longest = page.evaluate("Math.max(...freezes)")  # there are some: 5,000 files are made
    assert 0 < longest < FROZEN_MS


def test_three_are_sent_at_a_time_and_the_cards_are_few(running: House, open_page: Open) -> None:
    page = open_page(running)
    page.evaluate(COUNT_BODIES)
    choose(page, *[a_file(f"{number}.png", samples.sample("png")) for number in range(34)])
    page.get_by_label("Convert to", exact=True).select_option("nap")
    page.locator("#go").click()
    expect(page.locator(".card")).to_have_count(30)
    expect(page.locator("#tally")).to_contain_text("34 files sent, 34 ready", timeout=120_000)
    assert page.evaluate("most") == 3
    expect(page.locator('[aria-live="polite"]')).to_have_text("34 files sent, 34 ready")
    page.get_by_role("button", name="Show 4 more").click()
    expect(page.locator(".card")).to_have_count(34)
    until_ready(card(page, 33))
    expect(page.get_by_role("button", name="more")).to_have_count(0)


def test_the_news_of_a_thousand_that_have_no_card_come_within_seconds(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    page.clock.install()
    page.evaluate(THOUSAND, assets.address("crowd.js"))
    page.clock.run_for(13_000)
    poll(lambda: page.evaluate("known") == 1000)
    assert page.evaluate("asked") <= 20  # in 13 seconds


def test_one_file_can_become_something_else_than_the_others(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    choose(page, a_file("a.png", samples.sample("png")))
    expect(page.get_by_label("Convert a.png to")).to_be_hidden()  # there are no others
    choose(page, a_file("b.png", samples.sample("png")))
    page.get_by_label("Convert to", exact=True).select_option("webp")
    page.get_by_label("Convert b.png to").select_option("gif")
    page.locator("#go").click()
    for index, wanted in enumerate(["WEBP", "GIF"]):
        until_ready(card(page, index))
        expect(card(page, index).locator('[data-part="to"]')).to_have_text(wanted)


def test_the_menu_has_what_the_chosen_files_can_become(running: House, open_page: Open) -> None:
    page = open_page(running)
    assert {"webp", "csv"} <= _menu(page).keys()
    choose(page, a_file("a.png", samples.sample("png")))
    expect(page.locator("#to")).to_have_value("webp")
    assert "webp" in _menu(page)
    assert "csv" not in _menu(page)
    choose(page, a_file("b.csv", b"a,b\n1,2\n"))
    expect(page.locator("#to")).to_have_value("")
    assert "webp" not in _menu(page)


def _menu(page: Page) -> dict[str, str]:
    """Return the titles of the menu's options by their formats."""
    pairs = "options => options.map((option) => [option.value, option.textContent])"
    return dict(page.locator("#to option").evaluate_all(pairs))
