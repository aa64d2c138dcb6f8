"""What cannot be seen is never black in the result."""

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import near, pixel

WHITE = (255, 255, 255)


@pytest.mark.parametrize("target", ["jpg", "bmp", "pdf"])
@pytest.mark.parametrize("source", ["png", "webp", "avif", "tiff", "gif", "heic", "svg", "ico"])
def test_transparent_becomes_white_where_it_cannot_stay(
    converting: Converting, source: str, target: str
) -> None:
    image = converting(samples.see_through(source), source, target).image

    assert near(pixel(image, 0.2, 0.5)[:3], WHITE)
    assert near(pixel(image, 0.8, 0.5)[:3], samples.RED)


@pytest.mark.parametrize("target", ["png", "webp", "avif", "tiff", "gif", "ico"])
@pytest.mark.parametrize("source", ["png", "webp", "gif", "svg", "heic"])
def test_transparent_stays_where_it_can(converting: Converting, source: str, target: str) -> None:
    image = converting(samples.see_through(source), source, target).image

    assert pixel(image, 0.2, 0.5)[3] == 0
    assert pixel(image, 0.8, 0.5)[3] == 255


@pytest.mark.parametrize("target", ["jpg", "png", "webp", "gif", "bmp", "pdf"])
def test_a_background_is_laid_below(converting: Converting, target: str) -> None:
    image = converting(samples.see_through("png"), "png", target, background="blue").image

    assert near(pixel(image, 0.2, 0.5), (0, 0, 255, 255))


def test_a_coloured_background_below_a_grey_picture_has_its_colour(converting: Converting) -> None:
    grey = samples.encoded(Image.new("LA", (16, 16), (0, 0)), "png")

    image = converting(grey, "png", "jpg", background="#ff8000").image

    assert near(pixel(image, 0.5, 0.5)[:3], (255, 128, 0))


def test_a_background_below_sixteen_bits_is_as_bright(converting: Converting) -> None:
    deep = samples.see_through("png")

    image = converting(deep, "png", "tiff", background="#808080").image

    assert near(pixel(image, 0.2, 0.5)[:3], (128, 128, 128))


def test_invisible_colour_does_not_bleed_into_the_edge(converting: Converting) -> None:
    """The left half is transparent black; a careless resize draws a dark line beside it."""
    image = converting(samples.see_through("png"), "png", "png", width=33).image.convert("RGBA")

    edge = [image.getpixel((across, 10)) for across in range(image.width)]
    seen = [one for one in edge if isinstance(one, tuple) and one[3] > 30]
    assert seen
    assert all(near(one[:3], samples.RED, within=12) for one in seen)
