"""What stands in a file beside its pixels: kept, made true again, or removed."""

import re
import struct
from collections.abc import Iterable
from typing import Any

import PIL.Image
import pyvips

from worker.converters.image import loaders

_ORIENTATION = 0x0112
_EXIF_LIMIT = 65_535 - 8  # one APP1 segment of a JPEG, less its own length and name
_UNTRUE_NOW = (
    "n-pages",
    "page-height",
    "delay",
    "gif-delay",
    "jpeg-thumbnail-data",
    "heif-primary",
)
_XMP_ORIENTATION = re.compile(rb"""(tiff:Orientation(?:\s*=\s*["']|\s*>\s*))[2-8]""")


def made_true(image: pyvips.Image) -> pyvips.Image:
    """Return an upright picture whose metadata claims no other orientation, thumbnail or pages."""
    image = image.copy()
    for name in (*_UNTRUE_NOW, *_orientations(image)):
        if image.get_typeof(name):
            image.remove(name)
    if image.get_typeof("xmp-data"):
        _set_blob(image, "xmp-data", _XMP_ORIENTATION.sub(rb"\g<1>1", bytes(image.get("xmp-data"))))
    return image


def attached(
    image: pyvips.Image, *, exif: bytes | None, xmp: bytes | None, profile: bytes | None
) -> pyvips.Image:
    """Return the picture with the metadata that another reader than libvips found."""
    image = image.copy()
    if exif:
        _attach_exif(image, exif)
    if xmp:
        _set_blob(image, "xmp-data", xmp)
    if profile:
        _set_blob(image, "icc-profile-data", profile)
    return image


def for_pillow(image: pyvips.Image) -> dict[str, Any]:
    """Return EXIF and XMP as the writers of Pillow take them, without any orientation.

    The block that libvips keeps is the one that was read; only its own writers renew it.
    """
    found: dict[str, Any] = {}
    if image.get_typeof("exif-data"):
        exif = PIL.Image.Exif()
        exif.load(bytes(image.get("exif-data")))
        exif.pop(_ORIENTATION, None)
        found["exif"] = exif.tobytes()
    if image.get_typeof("xmp-data"):
        found["xmp"] = bytes(image.get("xmp-data"))
    return found


def _orientations(image: pyvips.Image) -> Iterable[str]:
    names: list[str] = image.get_fields()
    return [name for name in names if name == "orientation" or name.endswith("-Orientation")]


def _attach_exif(image: pyvips.Image, exif: bytes) -> None:
    """Copy what libvips reads from a JPEG of one pixel that carries this EXIF.

    libvips writes only those tags that also stand in fields of the image, and only its
    loaders make them.
    """
    block = exif if exif.startswith(b"Exif\0\0") else b"Exif\0\0" + exif
    if len(block) > _EXIF_LIMIT:
        return
    pixel = pyvips.Image.black(1, 1).jpegsave_buffer()
    segment = b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block
    loaders.allow("jpg")
    read = pyvips.Image.jpegload_buffer(pixel[:2] + segment + pixel[2:])
    for name in read.get_fields():
        if name == "orientation" or name.startswith("exif-"):
            image.set_type(read.get_typeof(name), name, read.get(name))


def _set_blob(image: pyvips.Image, name: str, content: bytes) -> None:
    image.set_type(pyvips.GValue.blob_type, name, content)
