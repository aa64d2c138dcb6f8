"""Quality and lossless do what they say, or say that they cannot."""

import pytest
from PIL import Image

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


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("jpg", "no lossless form"),
        ("gif", "no lossless form"),
        ("webp", ""),
        ("avif", ""),
        ("pdf", ""),
        ("png", ""),
    ],
)
def test_a_target_that_is_never_lossless_says_so(
    converting: Converting, target: str, said: str
) -> None:
    notes = converting(samples.sample("png"), "png", target, lossless=True).notes

    assert (said in notes) if said else not notes


@pytest.mark.parametrize(
    ("target", "bits"),
    [("webp", 8), ("avif", 10), ("pdf", 8), ("bmp", 8), ("png", 16), ("tiff", 16)],
)
def test_what_lossless_rounds_off_of_sixteen_bits_is_said(
    converting: Converting, target: str, bits: int
) -> None:
    content = samples.encoded(Image.new("I;16", (16, 16), 0x1234), "png")

    said = converting(content, "png", target, lossless=True).notes

    assert (f"keeps {bits} bits" in said) == (bits < 16)
    assert converting(content, "png", target).notes == ""


def test_an_animation_says_how_near_to_lossless_avif_comes(converting: Converting) -> None:
    result = converting(samples.animated("png"), "png", "avif", lossless=True)

    assert "off by 2" in result.notes
    assert "off by" not in converting(samples.animated("png"), "png", "webp", lossless=True).notes


@pytest.mark.parametrize("target", ["png", "gif", "bmp", "tiff", "ico"])
def test_quality_without_meaning_is_said(converting: Converting, target: str) -> None:
    assert "no quality" in converting(samples.sample("jpg"), "jpg", target, quality=50).notes


def test_options_that_make_no_sense_are_refused_in_a_sentence(converting: Converting) -> None:
    refused = converting(samples.sample("png"), "png", "jpg", width=0).refused

    assert refused.code == "bad_options"
    assert refused.detail == "width must be a whole number of pixels from 1 to 65535, not 0."
