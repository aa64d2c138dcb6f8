"""A large file on its way: paused, cut off, stalled, given up; nothing is sent twice."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, Response, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import (
    UNDER_WAY,
    address_on_the_way,
    arrived_whole,
    offsets_of,
    over_a_road,
    slow_at_first,
    under_way,
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

ELSEWHERE = "It is being sent from somewhere else."
TUS = {"Tus-Resumable": "1.0.0"}
PIECES = "application/offset+octet-stream"
SILENT_MS = 20_000
AWAY = re.compile(r"^Interrupted at \d+ %")
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
    with over_a_road(running, open_page, slow_at_first) as (page, road):
        page.clock.install()
        page.reload()
        offsets = offsets_of(page)
        sent = under_way(page, large)
        page.context.set_offline(True)
        road.cut()  # a request under way goes on in a browser that is only said to be offline
        expect(status_of(sent)).to_have_text(AWAY)
        expect(note_of(sent)).to_contain_text("goes on by itself")
        page.clock.fast_forward(10_000)
        expect(status_of(sent)).to_have_text(AWAY)
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
        sent = under_way(page, large)
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
        sent = under_way(page, large)
        address = address_on_the_way(page)
        with running.client() as client:
            client.head(address, headers=TUS)
        expect(status_of(sent)).to_have_text(ELSEWHERE)
        sent.get_by_role("button", name="Go on").click()
        expect(status_of(sent)).to_have_text(re.compile("^(Sending|Ready)"))


def test_where_nobody_goes_on_elsewhere_it_goes_on_here_by_itself(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.clock.install()
        page.reload()
        offsets = offsets_of(page)
        sent = under_way(page, large)
        with running.client() as client:  # as whoever only looks at an address may do
            client.head(address_on_the_way(page), headers=TUS)
        expect(status_of(sent)).to_have_text(ELSEWHERE)
        page.clock.fast_forward(SILENT_MS)
        until_ready(sent)
        assert offsets[-1] > 0
        arrived_whole(running, page, large)


def test_as_long_as_something_comes_from_elsewhere_it_is_left_to_whoever_sends_it(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.clock.install()
        page.reload()
        offsets = offsets_of(page)
        watch(page, "status")
        sent = under_way(page, large)
        address, content = address_on_the_way(page), large.read_bytes()
        with running.client() as client:
            sender = _Sender(client, address)
            expect(status_of(sent)).to_have_text(ELSEWHERE)
            for _ in range(3):
                page.clock.fast_forward(SILENT_MS // 2)
                with page.expect_response(sender.tells):
                    sender.append(content, 100_000)
            sender.append(content)
        until_ready(sent)
        assert offsets == [0]
        assert told(page).count("Sending 0 %") == 1
        arrived_whole(running, page, large)


def test_its_link_can_be_copied_while_it_is_sent_and_where_it_was_not_sent_whole(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(
        running, open_page, slow_at_first, permissions=["clipboard-read", "clipboard-write"]
    ) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        under_way(page, large)
        address = address_on_the_way(page)
        _copies(page, address)
        page.reload()
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole"))
        _copies(page, address)
        page.goto(address)
        expect(status_of(card(page))).to_have_text(re.compile(r"^On its way"))
        _copies(page, address)


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


class _Sender:
    """Another device that goes on with an upload."""

    def __init__(self, client: httpx.Client, address: str) -> None:
        self._client, self._address = client, address
        answer = client.head(address, headers=TUS)
        self._offset = int(answer.headers["Upload-Offset"])

    def append(self, content: bytes, count: int | None = None) -> None:
        """Send so many of the bytes that are missing, or all of them."""
        headers = {**TUS, "Upload-Offset": str(self._offset), "Content-Type": PIECES}
        end = len(content) if count is None else self._offset + count
        body = content[self._offset : end]
        answer = self._client.patch(self._address, headers=headers, content=body)
        assert answer.status_code == 204, answer.text
        self._offset = end

    def tells(self, answer: Response) -> bool:
        """Whether the service tells a page all that was sent."""
        is_document = answer.request.method == "GET" and answer.url.endswith(self._address)
        if not is_document or answer.status != 200:
            return False
        return int(answer.json()["received"]) == self._offset


def _copies(page: Page, address: str) -> None:
    """Fail unless the first card's button copies the link to this upload, and says so."""
    page.evaluate("navigator.clipboard.writeText('nothing')")
    card(page).get_by_role("button", name="Copy link: large.bmp").click()
    expect(card(page).locator('[data-part="copied"]')).to_have_text("The link is copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.evaluate("path => location.origin + path", address)


def _warns(page: Page) -> bool:
    """Whether leaving the page now would be asked about."""
    leaving = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    return not page.evaluate(leaving)
