"""Files that take a while to send, over a road that is slow or breaks."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.steps import card, convert, status_of
from tests.proxy import CHUNK, Fault, RoughRoad, rough_road
from tests.system.house import House

UNDER_WAY = re.compile(r"^Sending ([1-9]|\d\d) %")
SLOW = Fault("throttle", 100_000)  # then some megabytes a second
IN_DROPS = Fault("throttle", 100_000, lambda: 512)  # a large file takes a minute


def slow_at_first(road: RoughRoad) -> Fault:
    """Be slow until a file is on its way; whoever goes on with it goes fast.

    Also on a connection that was there before: a browser keeps some for its next requests.
    """
    return Fault("throttle", 100_000, lambda: CHUNK if road.met["throttle"] > 1 else 4096)


def in_drops_at_first(road: RoughRoad) -> Fault:
    """Leave time for much to be done with a file on its way; the next takes some seconds."""
    return Fault("throttle", 100_000, lambda: 8192 if road.met["throttle"] > 1 else 512)


@contextmanager
def over_a_road(
    house: House,
    open_page: Open,
    fault: Callable[[RoughRoad], Fault | None],
    **options: Any,
) -> Iterator[tuple[Page, RoughRoad]]:
    """Open the start page behind a proxy; `fault` says what becomes of the next connection."""
    roads: list[RoughRoad] = []
    with rough_road(house.api_port, lambda: fault(roads[0])) as road:
        roads.append(road)
        yield open_page(house, f"http://127.0.0.1:{road.port}/", **options), road
        road.cut()  # what is still in its buffers takes no time from the next test


def under_way(page: Page, path: Path) -> Locator:
    """Have a file sent that becomes a JPG; return its card once bytes of it are there."""
    sent = convert(page, path, to="jpg")
    expect(status_of(sent)).to_have_text(UNDER_WAY)
    return sent


def offsets_of(page: Page) -> list[int]:
    """Return a list that grows with each PATCH by the offset at which it began."""
    offsets: list[int] = []

    def note(method: str, headers: dict[str, str]) -> None:
        if method == "PATCH":
            offsets.append(int(headers["upload-offset"]))

    page.on("request", lambda sent: note(sent.method, sent.headers))
    return offsets


def address_on_the_way(page: Page) -> str:
    """Return the path of the upload that the page has begun and not ended."""
    return str(page.evaluate("JSON.parse(localStorage['rowmill.unfinished'])[0].address"))


def arrived_whole(house: House, page: Page, path: Path) -> None:
    """Fail unless the first card's upload is this file, byte for byte."""
    address = str(card(page).locator('[data-part="name"]').get_attribute("href"))
    with house.client() as client:
        document = client.get(address).json()
    assert document["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
