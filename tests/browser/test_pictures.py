"""The pictures of the README, in the folder that ROWMILL_SCREENSHOTS names: the main states."""

import io
import os
import re
from pathlib import Path

import pytest
from PIL import Image, ImageOps
from playwright.sync_api import FloatRect, Page, ViewportSize, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.roads import SLOW, over_a_road
from tests.browser.steps import a_file, card, convert, status_of, until_ready
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

WIDE: ViewportSize = {"width": 1000, "height": 820}
NARROW: ViewportSize = {"width": 760, "height": 620}
UNDER_WAY = re.compile(r"^Converting [2-9]\d|^Ready")  # a fast machine may be ready already
ON_ITS_WAY = re.compile(r"^Sending [2-9]\d %|^Sent|^Stored|^Converting|^Ready")
TIMETABLE = b"from,to,leaves\nnorth pier,islands,07:40\nislands,north pier,18:15\n"
ROOM = 20  # pixels
COLOURS = 200  # of a palette; all of them would need four times the room
MOST_BYTES = 150_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.environ.get("ROWMILL_SCREENSHOTS", tmp_path))


def test_empty_and_in_the_middle_of_its_work(running: House, open_page: Open, folder: Path) -> None:
    page = open_page(running, viewport=WIDE, device_scale_factor=2)
    expect(page.locator("#choose-folder")).to_be_visible()
    _take(page, folder / "empty.png")
    until_ready(convert(page, a_file("Harbour at dusk.png", _photo()), to="webp"))
    large = samples.encoded(samples.noise((2400, 1600)), "jpg")
    sent = convert(page, a_file("Ferry at the north pier.jpg", large), to="avif")
    expect(status_of(sent)).to_have_text(UNDER_WAY)
    _take(page, folder / "page.png")


def test_sending(running: House, open_page: Open, folder: Path, tmp_path: Path) -> None:
    film = tmp_path / "Crossing to the islands.bmp"
    film.write_bytes(samples.encoded(samples.flag((2400, 2000)), "bmp"))
    sharp = {"viewport": NARROW, "device_scale_factor": 2}
    with over_a_road(running, open_page, lambda _: SLOW, **sharp) as (page, _):
        sent = convert(page, film, to="jpg")
        expect(status_of(sent)).to_have_text(ON_ITS_WAY)
        _take(page, folder / "sending.png", part="#yours")


def test_ready_failed_and_the_page_of_an_upload(
    running: House, open_page: Open, folder: Path
) -> None:
    page = open_page(running, viewport=NARROW, device_scale_factor=2)
    photo = _photo()
    convert(page, a_file("Torn ticket.png", photo[: len(photo) // 2]), to="webp")
    expect(card(page).locator(".job")).to_have_attribute("data-tone", "bad")
    _take(page, folder / "failed.png", part="#yours")
    until_ready(convert(page, a_file("Harbour at dusk.png", photo), to="webp"))
    until_ready(convert(page, a_file("Timetable.csv", TIMETABLE), to="xlsx"))
    _take(page, folder / "ready.png", part="#yours")
    page.goto(str(card(page, 1).get_by_role("link").first.get_attribute("href")))
    page.emulate_media(color_scheme="dark")
    card(page).get_by_label("Look at it").click()
    expect(card(page).get_by_role("img", name="Harbour")).to_be_visible()
    _take(page, folder / "upload.png")


def _photo() -> bytes:
    dusk = ImageOps.colorize(Image.linear_gradient("L").resize((900, 600)), "#233a5e", "#f2b277")
    return samples.encoded(dusk, "png")


def _take(page: Page, path: Path, *, part: str | None = None) -> None:
    """Write what is seen, or a part of it with some room around, as a picture of few bytes."""
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    taken = page.screenshot(full_page=True, clip=_around(page, part) if part else None)
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    assert 3_000 < path.stat().st_size < MOST_BYTES


def _around(page: Page, part: str) -> FloatRect:
    box = page.locator(part).bounding_box()
    assert box is not None
    height = box["y"] + page.evaluate("scrollY")
    return {
        "x": box["x"] - ROOM,
        "y": height - ROOM,
        "width": box["width"] + 2 * ROOM,
        "height": box["height"] + 2 * ROOM,
    }
