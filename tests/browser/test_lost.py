"""A file whose upload is gone, or is said to be by somebody on the way, who knows nothing of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import (
    SLOW,
    UNDER_WAY,
    address_on_the_way,
    arrived_whole,
    offsets_of,
    over_a_road,
    slow_at_first,
    under_way,
)
from tests.browser.steps import (
    a_file,
    card,
    convert,
    look_until,
    note_of,
    status_of,
    until_ready,
)
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

LOG_IN = "Something on the way wants you to log in."
REMEMBERED = "JSON.parse(localStorage['rowmill.unfinished'] ?? '[]').map((one) => one.address)"


def test_what_is_deleted_elsewhere_is_said_to_be_and_sent_anew_only_if_somebody_asks(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = under_way(page, large)
        with running.client() as client:
            client.delete(address_on_the_way(page))
            expect(status_of(sent)).to_have_text("The upload was deleted.")
            assert client.get("/uploads").json()["uploads"] == []
        assert page.evaluate(REMEMBERED) == []
        sent.get_by_role("button", name="Try again").click()
        until_ready(sent)
        arrived_whole(running, page, large)


def test_what_is_deleted_while_it_is_paused_is_said_to_be(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        sent = under_way(page, large)
        sent.get_by_role("button", name="Pause").click()
        with running.client() as client:
            client.delete(address_on_the_way(page))
        sent.get_by_role("button", name="Go on").click()
        expect(status_of(sent)).to_have_text("The upload was deleted.")


def test_what_is_lost_twice_can_be_sent_a_third_time(
    running: House, open_page: Open, large: Path
) -> None:
    with over_a_road(running, open_page, lambda _: SLOW) as (page, road):
        sent = convert(page, large, to="jpg")
        gone: set[str] = set()
        page.route("**/uploads/*", _unknown(gone))
        for ends in ("sent from its beginning", "There is no such upload."):
            expect(status_of(sent)).to_have_text(UNDER_WAY)
            gone.add(address_on_the_way(page))
            road.cut()
            expect(sent).to_contain_text(ends)
        sent.get_by_role("button", name="Try again").click()
        expect(status_of(sent)).to_have_text(UNDER_WAY)
        gone.add(address_on_the_way(page))
        road.cut()
        poll(lambda: gone.isdisjoint(page.evaluate(REMEMBERED) or gone))


@pytest.mark.parametrize("status", [401, 403])
def test_a_log_in_on_the_way_ends_no_resuming(
    running: House, open_page: Open, large: Path, status: int
) -> None:
    page = open_page(running)
    offsets = offsets_of(page)
    page.route("**/uploads", _refusing(status, "OPTIONS"), times=1)
    sent = convert(page, large, to="jpg")
    expect(status_of(sent)).to_contain_text("Something on the way")
    sent.get_by_role("button", name="Try again").click()
    until_ready(sent)
    assert offsets == [0]  # as tus has it


def test_what_is_halfway_outlasts_a_log_in(running: House, open_page: Open, large: Path) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, _):
        page.on("dialog", lambda dialog: dialog.accept())
        under_way(page, large)
        address = address_on_the_way(page)
        page.route("**/uploads/*", _refusing(401, "GET"))
        page.reload()
        expect(card(page).locator('[data-part="problem"]')).to_contain_text(LOG_IN)
        assert page.evaluate(REMEMBERED) == [address]
        page.unroute("**/uploads/*")
        look_until(page, card(page).locator('[data-part="problem"]').is_hidden)
        expect(status_of(card(page))).to_have_text(re.compile(r"^Not sent whole"))


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "Log in"), (413, "raise the limit of the proxy")]
)
def test_what_a_proxy_refuses_is_remembered_and_gone_on_with(
    running: House, open_page: Open, large: Path, status: int, hint: str
) -> None:
    with over_a_road(running, open_page, slow_at_first) as (page, road):
        offsets = offsets_of(page)
        sent = under_way(page, large)
        address = address_on_the_way(page)
        page.route("**/uploads/*", _refusing(status, "PATCH", "HEAD", "GET"))
        road.cut()
        expect(note_of(sent)).to_contain_text(hint)
        assert page.evaluate(REMEMBERED) == [address]
        page.unroute("**/uploads/*")
        sent.get_by_role("button", name="Try again").click()
        until_ready(sent)
        assert offsets[-1] > 0
        arrived_whole(running, page, large)


def test_a_card_outlasts_a_log_in(running: House, open_page: Open) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    page.goto(str(card(page).get_by_role("link").first.get_attribute("href")))
    until_ready(card(page))
    problem = card(page).locator('[data-part="problem"]')
    page.route("**/uploads/*", _refusing(401, "GET"))
    look_until(page, problem.is_visible)
    expect(problem).to_contain_text(LOG_IN)
    expect(card(page).get_by_role("link", name="Download")).to_be_visible()
    page.unroute("**/uploads/*")
    look_until(page, problem.is_hidden)


def _refusing(status: int, *methods: str) -> Callable[[Route], None]:
    """Answer as a proxy does that speaks only HTML."""

    def answer(route: Route) -> None:
        if route.request.method in methods:
            route.fulfill(status=status, body="<h1>nginx</h1>", content_type="text/html")
        else:
            route.fallback()

    return answer


def _unknown(gone: set[str]) -> Callable[[Route], None]:
    """Answer for these addresses as a service does that has never heard of them."""
    unknown = {"code": "upload_unknown", "detail": "There is no such upload.", "hint": ""}

    def answer(route: Route) -> None:
        if any(route.request.url.endswith(address) for address in gone):
            route.fulfill(status=404, json=unknown)
        else:
            route.fallback()

    return answer
