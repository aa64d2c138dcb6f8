"""What a camera wrote is kept where it can be, and gone without a trace on request."""

import pytest
from PIL import Image

from tests import samples
from tests.worker.converters.conftest import Converting

XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>'
GPS, CAMERA = 0x8825, 0x8769


def _photo(source: str) -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "Cameramaker"
    exif.get_ifd(CAMERA)[0x9003] = "2020:02:03 04:05:06"
    exif.get_ifd(GPS)[1] = "N"
    exif.get_ifd(GPS)[2] = (47.0, 8.0, 15.0)
    options = {} if source == "png" else {"xmp": XMP}
    return samples.encoded(samples.flag(), source, exif=exif.tobytes(), **options)


@pytest.mark.parametrize("target", ["jpg", "png", "webp", "avif"])
@pytest.mark.parametrize("source", ["jpg", "png", "webp", "avif", "heic"])
def test_exif_is_kept(converting: Converting, source: str, target: str) -> None:
    exif = converting(_photo(source), source, target).image.getexif()

    assert exif[0x010F] == "Cameramaker"
    assert exif.get_ifd(CAMERA)[0x9003] == "2020:02:03 04:05:06"
    assert exif.get_ifd(GPS)[2] == (47.0, 8.0, 15.0)


@pytest.mark.parametrize("target", ["jpg", "png", "webp", "avif", "tiff"])
@pytest.mark.parametrize("source", ["jpg", "webp", "avif", "heic"])
def test_xmp_is_kept(converting: Converting, source: str, target: str) -> None:
    info = converting(_photo(source), source, target).image.info

    assert "<secret/>" in str(info.get("xmp") or info["XML:com.adobe.xmp"])


@pytest.mark.parametrize("target", ["jpg", "png", "webp", "avif", "tiff", "gif", "pdf", "ico"])
@pytest.mark.parametrize("source", ["jpg", "png", "webp", "avif", "heic"])
def test_strip_leaves_no_trace(converting: Converting, source: str, target: str) -> None:
    made = converting(_photo(source), source, target, strip=True).path.read_bytes()

    for trace in (b"Cameramaker", b"2020:02:03", b"<secret/>", b"Exif"):
        assert trace not in made


@pytest.mark.parametrize("target", ["webp", "png", "avif"])
def test_strip_leaves_no_trace_in_an_animation(converting: Converting, target: str) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Cameramaker"
    content = samples.encoded(
        samples.flag(),
        "webp",
        save_all=True,
        append_images=[samples.flag().rotate(180)],
        exif=exif.tobytes(),
    )

    kept = converting(content, "webp", target).path.read_bytes()
    assert b"Cameramaker" in kept
    assert b"Cameramaker" not in converting(content, "webp", target, strip=True).path.read_bytes()


def test_a_stale_thumbnail_is_not_carried_along(converting: Converting) -> None:
    """A thumbnail in the EXIF would show the picture as it lay, and what was cut off."""
    small = samples.encoded(samples.flag((16, 12)), "jpg")
    exif = Image.Exif()
    exif[0x0112] = 6
    block = exif.tobytes()
    content = samples.encoded(samples.flag(), "jpg", exif=_with_thumbnail(block, small))
    assert small in content

    assert small not in converting(content, "jpg", "jpg").path.read_bytes()


def _with_thumbnail(block: bytes, thumbnail: bytes) -> bytes:
    """Chain a second directory (EXIF 2.3, 4.5.2) with the thumbnail behind the only one."""
    tiff = bytearray(block[6:])
    assert tiff[:2] == b"MM"
    at = len(tiff)
    tiff[-4:] = at.to_bytes(4, "big")
    place = at + 2 + 3 * 12 + 4
    entries = ((0x0103, 3, 6 << 16), (0x0201, 4, place), (0x0202, 4, len(thumbnail)))
    tiff += len(entries).to_bytes(2, "big")
    for tag, kind, value in entries:
        tiff += tag.to_bytes(2, "big") + kind.to_bytes(2, "big") + (1).to_bytes(4, "big")
        tiff += value.to_bytes(4, "big")
    return block[:6] + bytes(tiff) + b"\0\0\0\0" + thumbnail
