"""Icons: the largest image is read, and what is written fits into one."""

from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import Result, corners, near

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]


def _sizes(result: Result) -> set[tuple[int, int]]:
    with Image.open(result.path, formats=("ICO",)) as opened:
        return set(opened.info["sizes"])


def test_the_largest_image_is_read_whatever_the_directory_says(converting: Converting) -> None:
    content = samples.icon_of(
        samples.encoded(samples.flag((16, 16)), "png"),
        samples.encoded(samples.flag((300, 300)), "png"),
        samples.encoded(samples.flag((48, 48)), "png"),
    )

    image = converting(content, "ico", "png").image

    assert image.size == (300, 300)
    assert near(corners(image), FLAG)


@pytest.mark.parametrize("mode", ["RGBA", "RGB", "P", "L"])
def test_icons_of_bitmaps_are_read(converting: Converting, mode: str) -> None:
    content = samples.encoded(
        samples.flag((48, 48), mode), "ico", bitmap_format="bmp", sizes=[(16, 16), (48, 48)]
    )

    image = converting(content, "ico", "png").image

    assert image.size == (48, 48)
    assert near(corners(image), corners(samples.flag(mode=mode)), within=60)


def test_a_large_picture_is_scaled_down_into_an_icon_and_that_is_said(
    converting: Converting,
) -> None:
    result = converting(samples.encoded(samples.flag((600, 400)), "png"), "png", "ico")

    assert result.image.size == (256, 171)
    assert "at most 256" in result.notes
    assert near(corners(result.image), FLAG)


def test_an_icon_has_the_usual_sizes(converting: Converting) -> None:
    square = samples.encoded(samples.flag((512, 512)), "png")

    assert _sizes(converting(square, "png", "ico")) == {(s, s) for s in (16, 32, 48, 256)}
    assert _sizes(converting(square, "png", "ico", width=64)) == {(64, 64)}


def test_a_drawing_fills_the_largest_icon(converting: Converting) -> None:
    result = converting(samples.svg(width=24, height=24), "svg", "ico")

    assert (256, 256) in _sizes(result)


def test_a_small_picture_is_not_blown_up(converting: Converting) -> None:
    result = converting(samples.encoded(samples.flag((20, 20)), "png"), "png", "ico")

    assert _sizes(result) == {(16, 16), (20, 20)}
    assert result.notes == ""


@pytest.mark.corpus
def test_a_real_icon_is_read(converting: Converting, corpus: Path) -> None:
    assert converting(corpus / "real-ico.ico", "ico", "webp").image.size == (256, 170)
