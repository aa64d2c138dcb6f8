"""The page is considerate: it warns only of a loss, keeps the screen on only while it sends."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.api import assets
from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import arrived_whole, over_a_road, slow_at_first, under_way
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    choose,
    convert,
    look_until,
    status_of,
    until_ready,
)
from tests.proxy import Fault, RoughRoad
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

WATCH_SCREEN = """
window.screenLocks = [];
navigator.wakeLock.request = async () => {
  window.screenLocks.push("on");
  const lock = window.lock = new EventTarget();
  lock.release = async () => window.screenLocks.push("off");
  return lock;
};
"""

# The browser under test is never really hidden.
LOOKED_AWAY = """() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
LOOKED_AT = """() => {
    delete document.hidden;
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_the_screen_stays_on_while_sending_and_not_while_converting(
    running: House, open_page: Open
) -> None:
    page = open_page(running, "/healthz")
    page.add_init_script(WATCH_SCREEN)
    page.goto("/")
    choose(page, *[a_file(name, samples.sample("png")) for name in ("a.png", "b.png")])
    page.get_by_label("Convert to", exact=True).select_option("nap")
    page.locator("#options summary").click()
    page.get_by_label("Seconds").fill("60")
    page.locator("#go").click()
    for index in range(2):
        expect(status_of(card(page, index))).to_contain_text("Converting")
    assert page.evaluate("window.screenLocks") == ["on", "off"]
    leaving = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert page.evaluate(leaving) is True  # converting goes on without the page
    for index in range(2):
        card(page, index).get_by_role("button", name="Cancel").click()
        expect(status_of(card(page, index))).to_have_text("Cancelled")


def test_a_page_that_is_looked_at_again_keeps_the_screen_on_again(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.add_init_script(WATCH_SCREEN)
        page.reload()
        under_way(page, large)
        page.evaluate(LOOKED_AWAY)
        page.evaluate("lock.dispatchEvent(new Event('release'))")  # as the browser does then
        assert page.evaluate("screenLocks") == ["on"]
        page.evaluate(LOOKED_AT)
        page.wait_for_function("screenLocks.length === 2")
        assert page.evaluate("screenLocks") == ["on", "on"]


def test_a_phone_that_wakes_goes_on_at_once(running: House, open_page: Open, large: Path) -> None:
    def fault(road: RoughRoad) -> Fault | None:
        return None if road.met else Fault("cut", 12_000_000)

    with over_a_road(running, open_page, fault) as (page, _):
        page.clock.install()
        page.reload()
        page.clock.pause_at(page.evaluate("Date.now()") + 60_000)  # no waiting ends by itself
        sent = convert(page, large, to="jpg")
        expect(status_of(sent)).to_have_text(re.compile("trying again soon$"))
        page.evaluate(LOOKED_AWAY)
        with page.expect_request(lambda asked: asked.method == "PATCH") as going_on:
            page.evaluate(LOOKED_AT)
        assert int(going_on.value.headers["upload-offset"]) > 0
        page.clock.resume()
        until_ready(sent)
        arrived_whole(running, page, large)


def test_a_file_that_is_looked_at_again_is_asked_for_at_once(
    running: House, open_page: Open
) -> None:
    path = a_slow_upload(running)
    page = open_page(running, "/healthz")
    page.clock.install()
    page.add_init_script(f"({LOOKED_AWAY})()")
    page.clock.pause_at(page.evaluate("Date.now()") + 60_000)  # no waiting ends by itself
    page.goto(path)
    with page.expect_response(f"**{path}"):
        page.clock.run_for(100)
    with running.client() as client:
        client.post(f"{path}/jobs/1/cancel")
    page.evaluate(LOOKED_AT)
    look_until(page, lambda: status_of(card(page)).inner_text() == "Cancelled")


def test_what_moves_is_spoken_of_at_each_quarter_and_at_its_end(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    spoken = page.evaluate(
        f"""async () => {{
            const {{ announceMove }} = await import("{assets.address("announce.js")}");
            const [voice, key, spoken] = [document.getElementById("said"), {{}}, []];
            for (let percent = 0; percent <= 100; percent += 1) {{
                const moving = percent < 100;
                const status = moving ? `Sending ${{percent}} %` : "Ready";
                const step = moving ? "send.sending" : undefined;
                announceMove(key, "a.png", {{ step, status, percent, moving }});
                if (voice.textContent !== spoken.at(-1)) spoken.push(voice.textContent);
            }}
            return spoken;
        }}"""
    )
    quarters = [f"a.png: Sending {percent} %" for percent in (25, 50, 75)]
    assert [text for text in spoken if text] == [*quarters, "a.png: Ready"]


def test_with_reduced_motion_nothing_moves_by_itself(running: House, open_page: Open) -> None:
    page = open_page(running, reduced_motion="reduce")
    convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    moving = page.evaluate("document.getAnimations().length")
    durations = page.evaluate(
        """() => [...document.querySelectorAll("*")]
            .map((one) => getComputedStyle(one).transitionDuration)
            .filter((duration) => duration !== "0s")"""
    )
    assert (moving, durations) == (0, [])
