"""A large file on its way: paused, cut off, stalled, given up; nothing is sent twice."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import (
    UNDER_WAY,
    address_on_the_way,
    arrived_whole,
    offsets_of,
    over_a_road,
    slow_at_first,
)
from tests.browser.steps import (
    card,
    choose,
    convert,
    note_of,
    status_of,
    told,
    until_ready,
    watch,
)
from tests.polling import poll
from tests.proxy import Fault, RoughRoad
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

BEGINS = re.compile(r"^large\.bmp: being sent|^large\.bmp to JPG: Sending")


def test_pause_stops_and_go_on_continues_from_there(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        offsets = offsets_of(page)
        sent = convert(page, large, to="jpg")
        expect(page.locator('[aria-live="polite"]')).to_have_text(BEGINS)
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        assert _warns(page)
        sent.get_by_role("button", name="Pause: large.bmp to JPG").click()
        expect(status_of(sent)).to_have_text(re.compile(r"^Paused at \d+ %"))
        expect(note_of(sent)).to_contain_text("of 30 MB are there")
        assert not _warns(page)  # what is there stays there
        for scripts in (True, False):
            its_page = open_page(running, address_on_the_way(page), java_script_enabled=scripts)
            expect(status_of(card(its_page))).to_have_text(re.compile(r"^On its way: [1-9]\d? %"))
        sent.get_by_role("button", name="Go on: large.bmp to JPG").click()
        until_ready(sent)
        assert offsets[0] == 0
        assert 0 < offsets[1] < large.stat().st_size
        arrived_whole(running, page, large)


def test_how_fast_it_goes_and_how_long_it_still_takes_is_said(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, lambda _: Fault("throttle", 18_000_000)) as (page, _):
        watch(page, "note")
        until_ready(convert(page, large, to="jpg"))
        pace = re.compile(r"[\d.]+ [KM]B of 30 MB, [\d.]+ [KM]B a second, \d+ s left")
        assert any(pace.fullmatch(note) for note in told(page)), told(page)


def test_after_a_cut_it_goes_on_by_itself(running: House, open_page: Open, large: Path) -> None:
    with over_a_road(running, open_page, lambda _: Fault("cut", 12_000_000)) as (page, road):
        offsets = offsets_of(page)
        until_ready(convert(page, large, to="jpg"))
        assert road.met["cut"] >= 2
        assert offsets == sorted(set(offsets))
        assert len(offsets) > 2
        arrived_whole(running, page, large)


def test_ten_seconds_without_a_network_cost_nothing_but_the_ten_seconds(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.clock.install()
        page.reload()
        offsets = offsets_of(page)
        sent = convert(page, large, to="jpg")
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        page.context.set_offline(True)
        expect(status_of(sent)).to_have_text(re.compile(r"^Interrupted at \d+ %"))
        expect(note_of(sent)).to_contain_text("goes on by itself")
        page.clock.fast_forward(10_000)
        expect(status_of(sent)).to_have_text(re.compile(r"^Interrupted at \d+ %"))
        page.context.set_offline(False)
        until_ready(sent)
        assert offsets.count(0) == 1
        arrived_whole(running, page, large)


def test_a_stall_is_noticed_and_nothing_is_shown_that_has_not_arrived(
    running: House, open_page: Open, large: Path
) -> None:
    def fault(road: RoughRoad) -> Fault | None:
        return None if road.met else Fault("stall", 17_000_000)

    with over_a_road(running, open_page, fault) as (page, road):
        page.clock.install()
        page.reload()
        offsets = offsets_of(page)
        sent = convert(page, large, to="jpg")
        poll(lambda: road.met["stall"])
        expect(status_of(sent)).to_have_text(re.compile(r"^Sending [3-9]\d %"))
        shown = int(re.findall(r"\d+", status_of(sent).inner_text())[0])
        with running.client() as client:
            document = client.get(address_on_the_way(page)).json()
        assert shown <= 100 * document["received"] / document["size"]
        page.clock.fast_forward(21_000)
        until_ready(sent)
        assert offsets[-1] > 0
        arrived_whole(running, page, large)


def test_cancel_deletes_what_has_arrived(running: House, open_page: Open, large: Path) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = convert(page, large, to="jpg")
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        address = address_on_the_way(page)
        sent.get_by_role("button", name="Cancel: large.bmp to JPG").click()
        expect(page.locator(".card")).to_have_count(0)
        with running.client() as client:
            poll(lambda: client.get(address).status_code == 410)
        assert page.evaluate("localStorage['rowmill.unfinished']") == "[]"


def test_whoever_goes_on_elsewhere_is_not_fought_over(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = convert(page, large, to="jpg")
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        address = address_on_the_way(page)
        with running.client() as client:
            client.head(address, headers={"Tus-Resumable": "1.0.0"})
        expect(status_of(sent)).to_have_text("It is being sent from somewhere else.")
        sent.get_by_role("button", name="Go on").click()
        expect(status_of(sent)).to_have_text(re.compile("^(Sending|Ready)"))


def test_a_file_that_has_changed_since_is_said_to_have(
    running: House, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(running)
    photo = tmp_path / "photo.png"
    photo.write_bytes(samples.sample("png"))
    choose(page, photo)
    photo.write_bytes(samples.sample("png") + b"more")
    page.locator("#go").click()
    expect(status_of(card(page))).to_contain_text("photo.png has changed since it was chosen")


def _warns(page: Page) -> bool:
    """Whether leaving the page now would be asked about."""
    leaving = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    return not page.evaluate(leaving)
