"""Formats of programs and cameras that no browser shows: read, with their colours."""

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near, pixel
from tests.worker.converters.test_image_pairs import FLAG

RARE = ("jp2", "psd", "tga", "qoi", "pnm")


@pytest.mark.parametrize("source", ["jp2", "psd", "tga", "qoi"])
def test_what_can_be_seen_through_stays_so(converting: Converting, source: str) -> None:
    image = converting(samples.see_through(source), source, "png").image

    assert pixel(image, 0.25, 0.5)[3] == 0
    assert near(pixel(image, 0.75, 0.5), (*samples.RED, 255))


@pytest.mark.parametrize("source", RARE)
def test_grey_stays_grey(converting: Converting, source: str) -> None:
    if source == "qoi":  # it knows no grey
        return
    image = converting(samples.encoded(samples.flag(mode="L"), source), source, "png").image

    assert image.mode == "L"
    assert near(corners(image), corners(samples.flag(mode="L")))


def test_sixteen_bits_keep_their_brightness(converting: Converting) -> None:
    """Pillow would cut each value at 255, so that all but the darkest were white."""
    rows = b"".join((value * 257).to_bytes(2, "big") for value in (0, 128, 255, 64))

    image = converting(b"P5 2 2 65535\n" + rows, "pnm", "png").image
    eight = converting(b"P5 2 2 65535\n" + rows, "pnm", "webp", lossless=True).image

    assert [image.getpixel((x, y)) for y in (0, 1) for x in (0, 1)] == [0, 32896, 65535, 16448]
    assert [pixel(eight, x, y)[0] for y in (0, 0.5) for x in (0, 0.5)] == [0, 128, 255, 64]


def test_deep_jpeg_2000_keeps_its_depth(converting: Converting) -> None:
    grey = Image.new("I;16", (20, 10), 40_000)

    image = converting(samples.encoded(grey, "jp2"), "jp2", "png").image

    assert image.getpixel((5, 5)) == 40_000


def test_fractions_are_refused_with_the_way_out(converting: Converting) -> None:
    refused = converting(b"Pf 1 1 -1.0\n\0\0\0\x3f", "pnm", "png").refused

    assert refused.code == "unsupported_content"
    assert "8 or 16 bits" in str(refused.detail)


@pytest.mark.parametrize("content", [b"P1 2 1\n1 0", b"P4 2 1\n\x80", b"P2 2 1 9\n0 9"])
def test_every_kind_of_pnm_is_read(converting: Converting, content: bytes) -> None:
    image = converting(content, "pnm", "png").image.convert("L")

    assert [image.getpixel((x, 0)) for x in (0, 1)] == [0, 255]


def test_a_photoshop_image_for_print_has_its_colours(converting: Converting) -> None:
    image = converting(samples.encoded(Image.new("CMYK", (8, 8), (255, 0, 255, 0)), "psd"),
        "psd", "png").image  # fmt: skip

    assert near(pixel(image, 0.5, 0.5), (0, 166, 80, 255))


def test_the_profile_of_a_photoshop_image_is_kept(converting: Converting) -> None:
    profile = samples.wide_gamut_profile()
    content = samples.encoded(samples.flag(), "psd", profile=profile)

    assert converting(content, "psd", "png").image.info["icc_profile"] == profile


@pytest.mark.parametrize("change", [(22, b"\0\x10"), (4, b"\0\2"), (22, b"\0\x20")])
def test_a_photoshop_image_of_another_kind_is_told_from_a_damaged_one(
    converting: Converting, change: tuple[int, bytes]
) -> None:
    content = bytearray(samples.sample("psd"))
    content[change[0] : change[0] + 2] = change[1]

    refused = converting(bytes(content), "psd", "png").refused

    assert refused.code == "unsupported_content"
    assert "8 bits" in str(refused.detail)


def test_bytes_without_any_sign_of_targa_are_not_taken_for_it(converting: Converting) -> None:
    """Its beginning is a handful of small numbers, which much else begins with."""
    refused = converting(samples.sample("tga")[:-26], "tga", "png").refused

    assert refused.code == "corrupt_input"
    assert "not a Targa file" in str(refused.detail)


def test_the_colours_of_a_flag_survive_each(converting: Converting) -> None:
    for source in RARE:
        assert near(corners(converting(samples.sample(source), source, "png").image), FLAG)
