"""From the file chooser to the downloaded bytes, in a real browser."""

import io
import os
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Route, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    choose,
    convert,
    download,
    holding,
    note_of,
    status_of,
    until_ready,
)
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]


def test_from_the_file_chooser_to_the_downloaded_bytes(running: House, open_page: Open) -> None:
    page = open_page(running)
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    until_ready(sent)
    name, content = download(page, sent.get_by_role("link", name="Download flag.png as WEBP"))
    picture = Image.open(io.BytesIO(content))
    assert (name, picture.format, picture.size) == ("flag.webp", "WEBP", samples.SIZE)


def test_without_a_choice_each_file_becomes_what_suits_it(running: House, open_page: Open) -> None:
    page = open_page(running)
    choose(page, a_file("a.png", samples.sample("png")), a_file("b.webp", samples.sample("webp")))
    expect(page.locator("#chosen li")).to_have_count(2)
    page.get_by_role("button", name="Convert 2 files").click()
    for index, wanted in enumerate(["WEBP", "PNG"]):  # in the order in which they were chosen
        until_ready(card(page, index))
        expect(card(page, index).locator('[data-part="to"]')).to_have_text(wanted)


def test_options_that_were_set_reach_the_converter(running: House, open_page: Open) -> None:
    page = open_page(running)
    choose(page, a_file("flag.png", samples.sample("png")))
    page.locator("#options summary").click()
    page.get_by_label("Width").fill("48")
    page.get_by_label("Remove metadata").check()
    page.locator("#go").click()
    until_ready(card(page))
    expect(note_of(card(page))).to_contain_text("48 × 32 pixels")  # noqa: RUF001


def test_an_option_out_of_range_is_said_before_anything_is_sent(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    choose(page, a_file("flag.png", samples.sample("png")))
    page.locator("#options summary").click()
    page.get_by_label("Quality").fill("101")
    page.locator("#options summary").click()
    page.locator("#go").click()
    expect(page.get_by_label("Quality")).to_be_focused()
    assert page.locator(".card").count() == 0


def test_another_format_is_made_of_the_same_upload(running: House, open_page: Open) -> None:
    page = open_page(running)
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    until_ready(sent)
    sent.get_by_text("Another format").click()
    sent.get_by_label("Another format for flag.png").select_option("gif")
    sent.get_by_role("button", name="Convert").click()
    until_ready(sent, 2)
    name, content = download(page, sent.get_by_role("link", name="Download flag.png as GIF"))
    assert (name, content[:4]) == ("flag.gif", b"GIF8")


def test_what_is_chosen_before_the_formats_have_come_stays_chosen(
    running: House, open_page: Open
) -> None:
    path = a_slow_upload(running)
    page = open_page(running, "/healthz")
    held: list[Route] = []
    page.route("**/formats", holding(held, "GET"))
    page.goto(path)
    targets = card(page).get_by_label("Another format for slow.png")
    card(page).get_by_text("Another format").click()
    targets.select_option("gif")
    poll(lambda: page.evaluate("1") and held)
    held[0].continue_()
    expect(targets).to_have_attribute("data-names", re.compile("gif"))
    expect(targets).to_have_value("gif")


def test_a_damaged_file_says_why_and_what_to_do(running: House, open_page: Open) -> None:
    page = open_page(running)
    whole = samples.encoded(samples.noise((200, 200)), "png")
    sent = convert(page, a_file("half.png", whole[: len(whole) // 2]), to="webp")
    expect(sent.locator(".job")).to_have_attribute("data-tone", "bad")
    expect(note_of(sent)).not_to_be_empty()
    expect(sent.get_by_role("button", name="Try again")).to_be_visible()


def test_what_nothing_here_converts_is_refused_with_a_reason(
    running: House, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(running)
    noise = tmp_path / "noise.bin"
    noise.write_bytes(os.urandom(30_000_000))
    sent = convert(page, noise)
    problem = sent.locator('[data-part="problem"]')
    expect(problem).to_contain_text("no format that this service knows")
    sent.get_by_role("button", name="Delete noise.bin").click()
    expect(page.locator(".card")).to_have_count(0)


def test_cancel_and_try_again_and_delete(running: House, open_page: Open) -> None:
    path = a_slow_upload(running)
    page = open_page(running, path)
    slow = card(page)
    slow.get_by_role("button", name="Cancel").click()
    expect(status_of(slow)).to_have_text("Cancelled")
    slow.get_by_role("button", name="Try again").click()
    expect(status_of(slow)).to_contain_text("Converting")
    slow.get_by_role("button", name="Delete slow.png").click()
    page.wait_for_url("/")
    with running.client() as client:
        assert client.get(path).status_code == 410


def test_a_reload_shows_what_this_browser_has_sent(running: House, open_page: Open) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    page.reload()
    until_ready(card(page))
    expect(card(page).get_by_role("link", name="flag.png", exact=True)).to_be_visible()


@pytest.mark.parametrize(("way", "holder"), [("drop", "dataTransfer"), ("paste", "clipboardData")])
def test_a_file_that_is_dropped_or_pasted_is_taken(
    running: House, open_page: Open, way: str, holder: str
) -> None:
    page = open_page(running)
    content = list(samples.sample("png"))
    transfer = page.evaluate_handle(
        """bytes => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], "dropped.png"));
            return transfer;
        }""",
        content,
    )
    page.evaluate(
        """([way, holder, transfer]) => {
            const Kind = way === "drop" ? DragEvent : ClipboardEvent;
            const event = new Kind(way, { [holder]: transfer, bubbles: true, cancelable: true });
            document.querySelector("main").dispatchEvent(event);
        }""",
        [way, holder, transfer],
    )
    expect(page.locator("#chosen .name")).to_have_text("dropped.png")
    expect(page.get_by_label("Convert to", exact=True)).to_have_value("webp")
