"""Colours look in the result as they looked in the source, whatever numbers stand for them."""

from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near, pixel

PROFILED = ("jpg", "png", "webp", "avif", "tiff")


@pytest.mark.parametrize("target", PROFILED)
@pytest.mark.parametrize("source", ["jpg", "png", "webp", "avif", "tiff", "heic"])
def test_a_colour_profile_is_kept(converting: Converting, source: str, target: str) -> None:
    profile = samples.wide_gamut_profile()
    content = samples.encoded(samples.flag(), source, icc_profile=profile)

    image = converting(content, source, target).image

    assert image.info["icc_profile"] == profile
    assert near(pixel(image, 0.2, 0.2)[:3], samples.RED)


@pytest.mark.parametrize("target", ["gif", "bmp", "ico"])
def test_without_room_for_a_profile_the_colours_become_srgb(
    converting: Converting, target: str
) -> None:
    profile = samples.wide_gamut_profile()
    content = samples.encoded(samples.flag(), "png", icc_profile=profile)

    image = converting(content, "png", target).image

    assert "icc_profile" not in image.info
    red, _, blue = pixel(image, 0.2, 0.2)[:3]  # the profile swaps the two
    assert blue > 180
    assert red < 80


def test_a_profile_is_kept_inside_pdf(converting: Converting) -> None:
    profile = samples.wide_gamut_profile()
    content = samples.encoded(samples.flag(), "png", icc_profile=profile)

    result = converting(content, "png", "pdf")

    with pikepdf.open(result.path) as pdf:
        kind, kept = pdf.pages[0].Resources.XObject.Picture.ColorSpace
        assert kind == "/ICCBased"
        assert kept.read_bytes() == profile


def test_a_profile_for_other_channels_is_left_out_and_said(converting: Converting) -> None:
    profile = samples.wide_gamut_profile()
    content = samples.encoded(samples.flag(mode="L"), "tiff", icc_profile=profile)

    result = converting(content, "tiff", "jpg")

    assert "icc_profile" not in result.image.info
    assert "colour profile does not fit" in result.notes


@pytest.mark.parametrize("target", ["png", "gif", "bmp"])
def test_a_broken_profile_is_no_reason_to_fail(converting: Converting, target: str) -> None:
    profile = samples.wide_gamut_profile()
    broken = profile[:132] + b"\xff" * (len(profile) - 132)
    content = samples.encoded(samples.flag(), "tiff", icc_profile=broken)

    assert near(pixel(converting(content, "tiff", target).image, 0.2, 0.2)[:3], samples.RED)


def test_a_profile_that_leads_nowhere_is_left_out_and_said(converting: Converting) -> None:
    link = bytearray(samples.wide_gamut_profile())
    link[12:16] = b"link"  # from one device to another: it knows no colours at all
    content = samples.encoded(samples.flag(), "tiff", icc_profile=bytes(link))

    result = converting(content, "tiff", "gif")

    assert near(pixel(result.image, 0.2, 0.2)[:3], samples.RED)
    assert "could not be read" in result.notes


@pytest.mark.parametrize("target", ["png", "jpg", "webp", "pdf"])
def test_cmyk_becomes_srgb_by_way_of_a_profile(converting: Converting, target: str) -> None:
    inks = Image.new("CMYK", (32, 32), (0, 255, 255, 0))

    image = converting(samples.encoded(inks, "jpg"), "jpg", target).image

    assert image.mode in {"RGB", "RGBA"}
    red, green, blue = pixel(image, 0.5, 0.5)[:3]
    assert red > 200
    assert 15 < green < 70  # the naive way makes it 0: no printed red is that bright
    assert 20 < blue < 80


@pytest.mark.corpus
def test_a_real_cmyk_photo_is_not_negative(converting: Converting, corpus: Path) -> None:
    image = converting(corpus / "cmyk.jpg", "jpg", "png").image
    with Image.open(corpus / "cmyk.jpg") as opened:
        naive = opened.convert("RGB")

    assert image.mode == "RGB"
    assert near(corners(image), corners(naive), within=90)


@pytest.mark.corpus
def test_a_real_large_profile_is_kept(converting: Converting, corpus: Path) -> None:
    with Image.open(corpus / "icc-profile.jpg") as opened:
        profile = opened.info["icc_profile"]

    for target in ("webp", "png", "jpg"):
        kept = converting(corpus / "icc-profile.jpg", "jpg", target, strip=True).image
        assert kept.info["icc_profile"] == profile


@pytest.mark.parametrize("target", ["png", "tiff"])
@pytest.mark.parametrize("source", ["png", "tiff"])
def test_sixteen_bits_stay_sixteen(converting: Converting, source: str, target: str) -> None:
    grey = Image.new("I;16", (16, 16), 0x1234)

    image = converting(samples.encoded(grey, source), source, target).image

    assert image.mode == "I;16"
    assert image.getpixel((8, 8)) == 0x1234


@pytest.mark.parametrize("target", ["jpg", "webp", "gif", "bmp", "ico", "pdf", "avif"])
def test_sixteen_bits_become_the_same_grey_in_eight(converting: Converting, target: str) -> None:
    grey = Image.new("I;16", (16, 16), 0x8000)

    image = converting(samples.encoded(grey, "png"), "png", target).image

    assert near(pixel(image, 0.5, 0.5)[:3], (128, 128, 128), within=3)


@pytest.mark.parametrize("target", ["jpg", "png", "tiff", "pdf"])
def test_grey_stays_grey(converting: Converting, target: str) -> None:
    content = samples.encoded(Image.new("L", (16, 16), 90), "png")

    image = converting(content, "png", target).image

    assert image.mode == "L"
    assert near(pixel(image, 0.5, 0.5)[:3], (90, 90, 90), within=2)


@pytest.mark.parametrize("target", ["jpg", "webp", "avif", "tiff", "pdf"])
@pytest.mark.parametrize("mode", ["P", "LA"])
def test_a_palette_and_grey_with_alpha_are_read(
    converting: Converting, mode: str, target: str
) -> None:
    stored = samples.flag(mode=mode)

    image = converting(samples.encoded(stored, "png"), "png", target).image

    assert near(corners(image), corners(stored), within=40)


@pytest.mark.parametrize("target", ["jpg", "webp", "tiff", "bmp", "pdf"])
@pytest.mark.parametrize("source", ["png", "tiff", "bmp"])
def test_one_bit_becomes_black_and_white(converting: Converting, source: str, target: str) -> None:
    stored = Image.new("1", (32, 32), 1)
    stored.paste(0, (0, 0, 16, 32))

    image = converting(samples.encoded(stored, source), source, target).image

    assert near(pixel(image, 0.2, 0.5)[:3], (0, 0, 0))
    assert near(pixel(image, 0.8, 0.5)[:3], (255, 255, 255))


def test_samples_without_a_known_range_are_refused(converting: Converting) -> None:
    content = samples.encoded(Image.new("F", (16, 16), 0.5), "tiff")

    refused = converting(content, "tiff", "png").refused

    assert refused.code == "unsupported_content"
    assert "float" in str(refused.detail)


@pytest.mark.parametrize("target", ["webp", "avif", "gif", "bmp"])
def test_grey_with_a_profile_becomes_srgb_where_grey_cannot_stay(
    converting: Converting, target: str
) -> None:
    profile = samples.linear_grey_profile()
    content = samples.encoded(Image.new("L", (16, 16), 55), "png", icc_profile=profile)

    image = converting(content, "png", target).image

    assert "icc_profile" not in image.info
    assert near(pixel(image, 0.5, 0.5)[:3], (128, 128, 128), within=8)


@pytest.mark.parametrize("target", ["jpg", "png", "tiff"])
def test_grey_keeps_its_profile_where_it_can_stay(converting: Converting, target: str) -> None:
    profile = samples.linear_grey_profile()
    content = samples.encoded(Image.new("L", (16, 16), 55), "png", icc_profile=profile)

    image = converting(content, "png", target).image

    assert image.info["icc_profile"] == profile
    assert near(pixel(image, 0.5, 0.5)[:3], (55, 55, 55), within=3)


def test_channels_besides_the_colours_are_left_out_and_that_is_said(
    converting: Converting,
) -> None:
    result = converting(samples.tiff_of(*samples.RED, 7, 99), "tiff", "png")

    assert result.image.mode == "RGB"
    assert near(pixel(result.image, 0.5, 0.5)[:3], samples.RED, within=2)
    assert "Channels besides" in result.notes


def test_deep_colours_become_an_avif_that_browsers_decode(converting: Converting) -> None:
    """Twelve bits, which libvips would choose, need the professional profile of AV1."""
    content = samples.encoded(Image.new("I;16", (16, 16), 0x8000), "png")

    made = converting(content, "png", "avif").path.read_bytes()

    assert b"pixi\0\0\0\0\x03\x0a\x0a\x0a" in made
