"""Two tabs of one person: nothing is sent twice, and both tell the truth."""

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.roads import UNDER_WAY, offsets_of, over_a_road, slow_at_first
from tests.browser.steps import (
    card,
    choose,
    convert,
    status_of,
    told,
    until_ready,
    watch,
)
from tests.proxy import Fault
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

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
    with over_a_road(running, open_page, slow_at_first) as (page, road):
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


def _sent(house: House, page: Page) -> list[str]:
    """Return the digests of what the service has from this visitor."""
    assert house.visitor in {cookie["value"] for cookie in page.context.cookies()}
    with house.client() as client:
        return [one["sha256"] for one in client.get("/uploads").json()["uploads"]]
