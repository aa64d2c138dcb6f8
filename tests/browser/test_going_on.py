"""After a reload: a file that was on its way goes on from where it was, once it is there again."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import (
    UNDER_WAY,
    arrived_whole,
    offsets_of,
    over_a_road,
    slow_at_first,
    under_way,
)
from tests.browser.steps import a_file, card, choose, note_of, status_of, until_ready
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

# A picker that nobody has to click in; the file is one of those that a page may keep for itself.
PICKER = """window.showOpenFilePicker = async () => {
  const folder = await navigator.storage.getDirectory();
  const handle = await folder.getFileHandle("picked.bmp", { create: true });
  const writing = await handle.createWritable();
  const head = new Uint8Array(54); // of a BMP of 2000 x 5000 pixels, all black
  head.set([66, 77, 182, 195, 201, 1], 0);
  head.set([54, 0, 0, 0, 40, 0, 0, 0, 208, 7, 0, 0, 136, 19, 0, 0, 1, 0, 24], 10);
  await writing.write(head);
  await writing.truncate(54 + 2000 * 5000 * 3);
  await writing.close();
  return [handle];
};"""
FORBIDDEN = """window.showOpenFilePicker = async () => {
  throw new DOMException("not here", "SecurityError");
};"""


def test_after_a_reload_the_same_file_goes_on_from_where_it_was(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        warnings: list[str] = []

        def leave(dialog: Dialog) -> None:
            warnings.append(dialog.type)
            dialog.accept()

        page.on("dialog", leave)
        under_way(page, large)
        with page.expect_response(re.compile(r"/uploads\?limit=\d+$")):
            page.reload()
        assert warnings == ["beforeunload"]
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole: [1-9]\d? %"))
        expect(page.locator(".card")).to_have_count(1)  # it is remembered here and listed there
        expect(note_of(card(page))).to_contain_text("Choose large.bmp again")
        offsets = offsets_of(page)
        choose(page, a_file("large.bmp", b"another of the same name"))
        expect(page.locator("#chosen li")).to_have_count(1)  # which is not the rest of it
        choose(page, large)
        expect(page.locator("#chosen li")).to_have_count(1)
        until_ready(card(page))
        assert offsets[0] > 0
        arrived_whole(running, page, large)
        page.reload()
        expect(page.locator(".card")).to_have_count(1)
        until_ready(card(page))


def test_a_file_that_was_dropped_is_opened_again_at_a_click(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        _drop(page, large)
        _goes_on_at_a_click(page, "large.bmp")
        arrived_whole(running, page, large)


def test_the_browsers_own_picker_gives_what_can_be_opened_again(
    running: House, open_page: Open
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        page.add_init_script(PICKER)
        page.reload()
        page.locator("#zone").click()
        expect(page.locator("#chosen .name")).to_have_text("picked.bmp")
        _goes_on_at_a_click(page, "picked.bmp")


def test_where_the_picker_may_not_open_the_file_field_does(running: House, open_page: Open) -> None:
    page = open_page(running, "/healthz")
    page.add_init_script(FORBIDDEN)
    page.goto("/")
    with page.expect_file_chooser() as dialogue:
        page.locator("#zone").click()
    dialogue.value.set_files(a_file("flag.png", samples.sample("png")))
    expect(page.locator("#chosen .name")).to_have_text("flag.png")


def test_without_what_it_remembers_the_service_says_which_file_it_was(
    running: House, open_page: Open, large: Path, tmp_path: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        expect(page.locator("#choose-folder")).to_be_visible()
        under_way(page, large)
        page.evaluate("localStorage.clear()")
        page.reload()
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole"))
        offsets = offsets_of(page)
        choose(page, large)
        until_ready(card(page))
        assert offsets[0] > 0
        arrived_whole(running, page, large)


def test_another_file_of_the_same_name_and_size_is_not_mixed_with_what_is_there(
    running: House, open_page: Open, large: Path, tmp_path: Path
) -> None:
    other = tmp_path / "large.bmp"
    other.write_bytes(large.read_bytes()[:54] + bytes(large.stat().st_size - 54))
    os.utime(other, (1, 1))
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        under_way(page, large)
        page.evaluate("localStorage.clear()")
        page.reload()
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole"))
        offsets = offsets_of(page)
        choose(page, other)
        until_ready(card(page))
        assert offsets == [0]
        arrived_whole(running, page, other)


def test_another_version_of_the_file_becomes_what_the_first_was_to_become(
    running: House, open_page: Open, large: Path, tmp_path: Path
) -> None:
    other = tmp_path / "large.bmp"
    other.write_bytes(large.read_bytes())
    os.utime(other, (1, 1))
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        choose(page, large)
        page.get_by_label("Convert to", exact=True).select_option("gif")
        page.locator("#options summary").click()
        page.get_by_label("Width").fill("33")
        page.locator("#go").click()
        expect(status_of(card(page))).to_have_text(UNDER_WAY)
        page.evaluate("localStorage.clear()")
        page.reload()
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole"))
        choose(page, other)
        until_ready(card(page))
    with running.client() as client:
        (only,) = client.get("/uploads").json()["uploads"]  # what had been begun is discarded
    (job,) = only["jobs"]
    assert (job["to"], job["options"]) == ("gif", {"width": 33})


def _drop(page: Page, path: Path) -> None:
    """Drop a file on the page as a hand does."""
    browser = page.context.new_cdp_session(page)
    dragged = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"type": kind, "x": 20, "y": 20, "data": dragged}
        browser.send("Input.dispatchDragEvent", place)
    expect(page.locator("#chosen li")).to_have_count(1)


def _goes_on_at_a_click(page: Page, name: str) -> None:
    """Send what is chosen, reload on the way, and let the page open the file itself."""
    page.locator("#go").click()
    expect(status_of(card(page))).to_have_text(UNDER_WAY)
    page.reload()
    expect(note_of(card(page))).to_contain_text("Go on from there")
    offsets = offsets_of(page)
    card(page).get_by_role("button", name=f"Go on: {name}").click()
    until_ready(card(page))
    assert offsets[0] > 0
