"""Quality and lossless do what they say, or say that they cannot."""

import pytest

from tests import samples
from tests.worker.converters.conftest import Converting


@pytest.mark.parametrize("target", ["jpg", "webp", "avif"])
def test_quality_decides_about_the_size(converting: Converting, target: str) -> None:
    content = samples.encoded(samples.noise((200, 200)), "png")
    sizes = [
        converting(content, "png", target, **options).path.stat().st_size
        for options in ({"quality": 5}, {}, {"quality": 100})
    ]

    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize("target", ["webp", "avif", "png", "tiff"])
def test_lossless_keeps_every_pixel(converting: Converting, target: str) -> None:
    noise = samples.noise((61, 37))

    image = converting(samples.encoded(noise, "png"), "png", target, lossless=True).image

    assert image.convert("RGB").tobytes() == noise.tobytes()


def test_what_jpeg_cannot_is_said(converting: Converting) -> None:
    assert (
        "no lossless form" in converting(samples.sample("png"), "png", "jpg", lossless=True).notes
    )


@pytest.mark.parametrize("target", ["png", "gif", "bmp", "tiff", "ico"])
def test_quality_without_meaning_is_said(converting: Converting, target: str) -> None:
    assert "no quality" in converting(samples.sample("jpg"), "jpg", target, quality=50).notes


def test_options_that_make_no_sense_are_refused_in_a_sentence(converting: Converting) -> None:
    refused = converting(samples.sample("png"), "png", "jpg", width=0).refused

    assert refused.code == "bad_options"
    assert refused.detail == "width must be a whole number of pixels from 1 to 65535, not 0."
