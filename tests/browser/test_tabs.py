"""Two tabs of one person: nothing is sent twice, and both tell the truth."""

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect
from sqlalchemy import delete

from app.models import Job
from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import IN_DROPS, UNDER_WAY, in_drops_at_first, offsets_of, over_a_road
from tests.browser.steps import (
    a_file,
    card,
    choose,
    convert,
    status_of,
    told,
    until_ready,
    watch,
)
from tests.make import make_job
from tests.polling import poll
from tests.proxy import Fault
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

# A page that came over plain HTTP has no locks; one that may keep nothing is refused both.
WITHOUT_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined });"
FORBIDDEN = """
const refused = () => new DOMException("not here", "SecurityError");
navigator.locks.request = async () => { throw refused(); };
window.BroadcastChannel = class { constructor() { throw refused(); } };
"""
# As on a busy machine.
SLOW_TO_ANSWER = """
const { postMessage } = BroadcastChannel.prototype;
BroadcastChannel.prototype.postMessage = function (said) {
  setTimeout(() => postMessage.call(this, said), said.sends ? 2_000 : 0);
};
"""
LEAVING = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
COMING = re.compile(r"Being sent elsewhere: [1-9]\d? %")


def test_the_other_tab_sends_nothing_and_says_how_far_it_is(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, lambda _: Fault("throttle", 14_000_000)) as (page, road):
        other = page.context.new_page()
        other.goto(f"http://127.0.0.1:{road.port}/")
        offsets = offsets_of(other)
        watch(other, "status")
        convert(page, large, to="jpg")
        until_ready(card(page))
        until_ready(card(other))
        assert any(COMING.fullmatch(status) for status in told(other)), told(other)
        assert offsets == []
        for one in (page, other):
            expect(one.locator(".card")).to_have_count(1)
        assert _sent(running, other) == [hashlib.sha256(large.read_bytes()).hexdigest()]


def test_the_same_file_in_the_other_tab_goes_on_there_and_both_end_ready(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, in_drops_at_first) as (page, road):
        other = page.context.new_page()
        other.goto(f"http://127.0.0.1:{road.port}/")
        offsets = offsets_of(other)
        watch(page, "status")
        convert(page, large, to="jpg")
        expect(status_of(card(page))).to_have_text(UNDER_WAY)
        expect(other.locator(".card")).to_have_count(1)
        choose(other, large)
        until_ready(card(other))
        until_ready(card(page))
        assert "It is being sent from somewhere else." in told(page)
        assert offsets[0] > 0
        for one in (page, other):
            expect(one.locator(".card")).to_have_count(1)
        assert _sent(running, other) == [hashlib.sha256(large.read_bytes()).hexdigest()]


def test_three_are_sent_at_a_time_by_all_tabs_together_and_none_is_called_halfway(
    running: House, open_page: Open, large: Path, tmp_path: Path
) -> None:
    files = [tmp_path / f"{number}.bmp" for number in range(6)]
    for number, path in enumerate(files):
        path.write_bytes(large.read_bytes() + bytes([number]))
    with over_a_road(running, open_page, lambda _: IN_DROPS) as (page, road):
        page.context.add_init_script(SLOW_TO_ANSWER)
        page.reload()
        other = page.context.new_page()
        other.goto(f"http://127.0.0.1:{road.port}/")
        watch(other, "status")
        choose(page, *files[:3])
        page.locator("#go").click()
        for index in range(3):
            expect(status_of(card(page, index))).to_have_text(UNDER_WAY)
        expect(other.locator(".card")).to_have_count(3)
        choose(other, *files[3:])
        other.locator("#go").click()
        for index in range(3):
            expect(status_of(card(other, index))).to_have_text("Waiting to be sent")
            expect(status_of(card(other, index + 3))).to_have_text(COMING)
        assert other.evaluate(LEAVING) is False  # what waits would be lost
        third = page.context.new_page()
        third.goto(f"http://127.0.0.1:{road.port}/")
        for index in range(3):
            expect(status_of(card(third, index))).to_have_text(COMING)
        card(page).get_by_role("button", name="Pause").click()
        expect(status_of(card(other))).to_have_text(UNDER_WAY)
        assert not any("Not sent whole" in said for said in told(other)), told(other)


def test_two_answers_are_held_for_all_tabs_together_and_the_others_come_at_once(
    running: House, open_page: Open
) -> None:
    with running.sessions.begin() as session:  # nothing becomes of them, so there is no news
        paths = [f"/uploads/{make_job(session, kind='nobody').upload_id}" for _ in range(3)]
    page = open_page(running, "/healthz")
    pages = [page, *[page.context.new_page() for _ in paths[1:]]]
    is_held: list[bool] = []

    def note(sent: Request) -> None:
        if "if-none-match" in sent.headers and "/uploads/" in sent.url:
            is_held.append("prefer" in sent.headers)

    page.context.on("request", note)
    for one, path in zip(pages, paths, strict=True):
        one.goto(path)
    poll(lambda: page.evaluate("1") and len(is_held) > 3)
    assert is_held[:4] == [True, True, False, False]  # the third asks again and again
    with running.sessions.begin() as session:
        session.execute(delete(Job).where(Job.kind == "nobody"))


@pytest.mark.parametrize("script", [WITHOUT_LOCKS, FORBIDDEN])
def test_where_tabs_cannot_know_of_each_other_files_are_sent_all_the_same(
    running: House, open_page: Open, script: str
) -> None:
    page = open_page(running, "/healthz")
    page.add_init_script(script)
    page.goto("/")
    choose(page, *[a_file(f"{number}.png", samples.sample("png")) for number in range(4)])
    page.locator("#go").click()
    for index in range(4):
        until_ready(card(page, index))


def _sent(house: House, page: Page) -> list[str]:
    """Return the digests of what the service has from this visitor."""
    assert house.visitor in {cookie["value"] for cookie in page.context.cookies()}
    with house.client() as client:
        return [one["sha256"] for one in client.get("/uploads").json()["uploads"]]
