"""Orientation is applied exactly once, and nothing in the result asks for it again."""

from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]
TARGETS = ("jpg", "png", "webp", "avif", "tiff", "gif", "bmp", "ico", "pdf")


def _asks_for(image: Image.Image) -> int:
    return int(image.getexif().get(0x0112, 1))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("source", ["jpg", "png", "webp", "avif", "tiff", "heic"])
def test_a_turned_picture_stands_upright(
    converting: Converting, source: str, orientation: int
) -> None:
    result = converting(samples.laid_down(orientation, source), source, "png")

    assert result.image.size == samples.SIZE
    assert near(corners(result.image), FLAG)
    assert _asks_for(result.image) == 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", ["jpg", "heic"])
def test_every_target_gets_it_upright(converting: Converting, source: str, target: str) -> None:
    result = converting(samples.laid_down(6, source), source, target)

    assert result.image.size == samples.SIZE
    assert near(corners(result.image), FLAG)
    assert _asks_for(result.image) == 1


@pytest.mark.parametrize("orientation", range(2, 9))
def test_width_means_the_width_that_a_person_sees(converting: Converting, orientation: int) -> None:
    result = converting(samples.laid_down(orientation, "jpg"), "jpg", "jpg", width=24)

    assert result.image.size == (24, 16)
    assert near(corners(result.image), FLAG)


def test_an_orientation_in_xmp_is_made_true(converting: Converting) -> None:
    xmp = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><d tiff:Orientation="6"/></x:xmpmeta>'
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = samples.flag().transpose(Image.Transpose.ROTATE_90)
    turned = samples.encoded(stored, "jpg", exif=exif.tobytes(), xmp=xmp)

    image = converting(turned, "jpg", "webp").image

    assert image.size == samples.SIZE
    assert b'tiff:Orientation="1"' in image.info["xmp"]


@pytest.mark.parametrize("target", ["gif", "webp", "png", "avif"])
def test_every_frame_of_a_turned_animation_stands_upright(
    converting: Converting, target: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    stored = samples.flag().transpose(Image.Transpose.ROTATE_90)
    turned = samples.encoded(
        stored,
        "webp",
        exif=exif.tobytes(),
        save_all=True,
        append_images=[stored.transpose(Image.Transpose.ROTATE_180)],
        duration=[100, 100],
    )

    result = converting(turned, "webp", target)

    first, second = result.frames
    assert _asks_for(result.image) == 1
    assert first.size == second.size == samples.SIZE
    assert near(corners(first), FLAG)
    assert near(corners(second), FLAG[::-1])


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "source", "size"),
    [
        ("exif-landscape-3.jpg", "jpg", (1800, 1200)),
        ("exif-landscape-6.jpg", "jpg", (1800, 1200)),
        ("exif-landscape-8.jpg", "jpg", (1800, 1200)),
        ("exif-portrait-5.jpg", "jpg", (1200, 1800)),
        ("orientation-6.avif", "avif", (3024, 4032)),
        ("orientation-7.webp", "webp", (128, 128)),
        ("real-heic.heic", "heic", (1440, 960)),
    ],
)
def test_real_photos_stand_upright(
    converting: Converting, corpus: Path, name: str, source: str, size: tuple[int, int]
) -> None:
    result = converting(corpus / name, source, "jpg")

    assert result.image.size == size
    assert _asks_for(result.image) == 1


@pytest.mark.corpus
def test_a_landscape_looks_the_same_whichever_way_the_camera_was_held(
    converting: Converting, corpus: Path
) -> None:
    seen = [
        converting(corpus / f"exif-landscape-{turn}.jpg", "jpg", "png", width=60).image
        for turn in (3, 6, 8)
    ]

    assert all(near(corners(one), corners(seen[0]), within=60) for one in seen)
