"""Files that take a while to send, over a road that is slow or breaks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests import samples
from tests.browser.conftest import Open
from tests.proxy import Fault, RoughRoad, rough_road
from tests.system.house import House

SLOW = Fault("throttle", 3_000_000)  # some megabytes a second


def a_large_picture(folder: Path) -> Path:
    """Write 12 MB that convert in no time."""
    path = folder / "large.bmp"
    path.write_bytes(samples.encoded(samples.flag((2000, 2000)), "bmp"))
    return path


@contextmanager
def over_a_road(
    house: House, open_page: Open, fault: Callable[[RoughRoad], Fault | None]
) -> Iterator[tuple[Page, RoughRoad]]:
    """Open the start page behind a proxy; `fault` says what becomes of the next connection."""
    roads: list[RoughRoad] = []
    with rough_road(house.api_port, lambda: fault(roads[0])) as road:
        roads.append(road)
        yield open_page(house, f"http://127.0.0.1:{road.port}/"), road


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
