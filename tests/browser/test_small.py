"""A small file, which goes in one request: nothing of it is there before the answer says so."""

import pytest
from playwright.sync_api import expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import offsets_of, over_a_road
from tests.browser.steps import a_file, convert, note_of, status_of, told, until_ready, watch
from tests.polling import poll
from tests.proxy import Fault, RoughRoad
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

LEFT = "Sent, but not confirmed yet"
CUT = "Interrupted, trying again soon"
STALL_MS = 21_000
# Note what has left the browser, once the page has heard of it.
WATCH_LEAVING = """
const { send } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.send = function (body) {
  this.upload.addEventListener("progress", ({ loaded }) => (window.gone = loaded));
  return send.call(this, body);
};
"""
SMALL = samples.sample("png").ljust(200_000, b"\0")


def test_a_small_file_that_is_stuck_goes_on_within_half_a_minute(
    running: House, open_page: Open
) -> None:
    with over_a_road(running, open_page, _stalls_once) as (page, road):
        page.clock.install()
        page.reload()
        keys: list[str] = []
        page.on("request", lambda sent: keys.append(sent.headers.get("idempotency-key", "")))
        offsets = offsets_of(page)
        sent = convert(page, a_file("flag.png", SMALL), to="webp")
        poll(lambda: road.met["stall"])
        expect(status_of(sent)).to_have_text(LEFT)
        expect(note_of(sent)).to_have_text("200 KB")
        assert sent.locator("progress").get_attribute("value") == "0"  # nobody has confirmed a byte
        watch(page, "status")
        watch(page, "note")
        page.clock.fast_forward(STALL_MS)
        until_ready(sent)
        assert told(page)[:2] == [CUT, "Nothing moves on the way to the service."]
        assert 0 < offsets[0] < len(SMALL)
        assert len({key for key in keys if key}) == 1
        expect(page.locator(".card")).to_have_count(1)


def test_what_has_left_the_browser_is_said_to_have_however_fast_it_went(
    running: House, open_page: Open
) -> None:
    with over_a_road(running, open_page, _stalls_once) as (page, _):
        page.clock.install()
        page.add_init_script(WATCH_LEAVING)
        page.reload()
        page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
        sent = convert(page, a_file("flag.png", SMALL), to="webp")
        poll(lambda: page.evaluate("window.gone") == len(SMALL))  # its clock stands still
        expect(status_of(sent)).to_have_text("Sending 0 %")
        page.clock.run_for(250)
        expect(status_of(sent)).to_have_text(LEFT)


def test_what_is_cancelled_before_the_service_names_its_address_is_deleted_all_the_same(
    running: House, open_page: Open
) -> None:
    with over_a_road(running, open_page, _stalls_once) as (page, road), running.client() as client:
        sent = convert(page, a_file("flag.png", SMALL), to="webp")
        poll(lambda: road.met["stall"] and client.get("/uploads").json()["uploads"])
        sent.get_by_role("button", name="Cancel: flag.png to WEBP").click()
        expect(page.locator(".card")).to_have_count(0)
        poll(lambda: client.get("/uploads").json()["uploads"] == [])


def _stalls_once(road: RoughRoad) -> Fault | None:
    return None if road.met else Fault("stall", 150_000)
