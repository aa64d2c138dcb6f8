"""Width, height and fit, and what no target can hold."""

from pathlib import Path
from typing import Any

import pytest

from app.formats.image import ImageOptions
from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near, pixel
from worker.converters.image import reading
from worker.converters.image.picture import Request
from worker.converters.image.progress import ImageMeter
from worker.converters.limits import Limits

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]


@pytest.mark.parametrize("source", ["jpg", "png", "gif", "heic", "svg", "bmp"])
@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"width": 48}, (48, 32)),
        ({"height": 16}, (24, 16)),
        ({"width": 48, "height": 48}, (48, 32)),
        ({"width": 48, "height": 48, "fit": "fill"}, (48, 48)),
        ({"width": 48, "height": 48, "fit": "cover"}, (48, 48)),
        ({"width": 48, "height": 48, "fit": "pad"}, (48, 48)),
        ({"width": 192}, (192, 128)),
        ({"width": 7, "height": 200, "fit": "fill"}, (7, 200)),
        ({"width": 1}, (1, 1)),
        ({"width": 48, "fit": "fill"}, (48, 32)),
    ],
)
def test_the_result_has_the_size_that_was_asked_for(
    converting: Converting, source: str, options: dict[str, Any], size: tuple[int, int]
) -> None:
    result = converting(samples.sample(source), source, "png", **options)

    assert result.image.size == size
    assert (result.facts["width"], result.facts["height"]) == size


def test_cover_cuts_evenly(converting: Converting) -> None:
    content = samples.encoded(samples.flag((300, 60)), "png")

    image = converting(content, "png", "png", width=60, height=60, fit="cover").image

    assert near(corners(image), FLAG)


@pytest.mark.parametrize("source", ["png", "svg"])
def test_pad_is_transparent_where_that_is_possible(converting: Converting, source: str) -> None:
    options = {"width": 96, "height": 96, "fit": "pad"}

    image = converting(samples.sample(source), source, "png", **options).image

    assert pixel(image, 0.5, 0.05)[3] == 0
    assert near(pixel(image, 0.2, 0.3), (*samples.RED, 255))


def test_pad_is_white_or_the_background_where_not(converting: Converting) -> None:
    options = {"width": 96, "height": 96, "fit": "pad"}

    white = converting(samples.sample("png"), "png", "jpg", **options).image
    lime = converting(samples.sample("png"), "png", "png", background="lime", **options).image

    assert near(pixel(white, 0.5, 0.05)[:3], (255, 255, 255))
    assert near(pixel(lime, 0.5, 0.05), (0, 255, 0, 255))


@pytest.mark.parametrize("width", [20, 60, 120, 130, 500])
def test_a_jpeg_that_is_read_smaller_is_no_other_picture(
    converting: Converting, width: int
) -> None:
    content = samples.encoded(samples.flag((1003, 667)), "jpg")

    image = converting(content, "jpg", "png", width=width).image

    assert image.size == (width, round(667 * width / 1003))
    assert near(corners(image), FLAG)


@pytest.mark.parametrize(("width", "read"), [(None, 1600), (801, 1600), (400, 800), (90, 200)])
def test_of_a_jpeg_no_more_is_decoded_than_is_needed_twice(
    tmp_path: Path, width: int | None, read: int
) -> None:
    source = tmp_path / "input.jpg"
    source.write_bytes(samples.encoded(samples.flag((1600, 1200)), "jpg"))
    wish, meter = ImageOptions(width=width), ImageMeter(lambda _value, _stage: None)
    request = Request(source, tmp_path / "output.png", "jpg", "png", wish, Limits(), meter)

    picture = reading.read(request)

    assert (picture.image.width, picture.full) == (read, (1600, 1200))


def test_what_the_target_cannot_hold_is_said_with_the_numbers(converting: Converting) -> None:
    content = samples.encoded(samples.flag((16_500, 4)), "png")

    refused = converting(content, "png", "webp").refused

    assert refused.code == "unsupported_content"
    assert "16,383" in str(refused.detail)
    assert "16500 × 4" in str(refused.detail)  # noqa: RUF001
    assert converting(content, "png", "webp", width=1000).image.width == 1000


@pytest.mark.parametrize("fit", ["fill", "cover", "pad"])
def test_a_result_with_too_many_pixels_is_refused(converting: Converting, fit: str) -> None:
    options = {"width": 60_000, "height": 50_000, "fit": fit}

    refused = converting(samples.sample("png"), "png", "png", **options).refused

    assert refused.code == "too_many_pixels"
    assert "3,000,000,000 pixels (60000 × 50000)" in str(refused.detail)  # noqa: RUF001


def test_the_limit_on_the_result_is_the_same_as_on_the_source(converting: Converting) -> None:
    limits = Limits(max_pixels=96 * 64)

    assert converting(samples.sample("png"), "png", "png", limits).image.size == samples.SIZE
    refused = converting(samples.sample("png"), "png", "png", limits, width=97).refused
    assert refused.code == "too_many_pixels"
    assert "6,305" in str(refused.detail)
