"""Formats that libvips does not read and Pillow does: BMP, JPEG 2000, Photoshop, Targa and more."""

import os
from pathlib import Path
from typing import Any

import PIL.Image
import pyvips

# Opening a format whose module is missing makes Pillow import every one it has.
from PIL import (  # noqa: F401
    BmpImagePlugin,
    Jpeg2KImagePlugin,
    PpmImagePlugin,
    PsdImagePlugin,
    QoiImagePlugin,
    TgaImagePlugin,
)

from worker.converters.image import budget, metadata
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import blamed_on, damaged, foreign
from worker.converters.image.upright import READ
from worker.converters.refusal import Refusal

NAMES = {
    "bmp": "BMP",
    "jp2": "JPEG2000",
    "psd": "PSD",
    "tga": "TGA",
    "qoi": "QOI",
    "pnm": "PPM",
}

_BANDS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4, "CMYK": 4, "I;16": 1}
_SPACES = {"L": "b-w", "LA": "b-w", "CMYK": "cmyk", "I;16": "grey16"}
_TARGA_END = b"TRUEVISION-XFILE.\0"


def read(request: Request) -> Picture:
    """Return the picture, decoded in memory."""
    name = request.source_format
    _look_at_header(request.source, name)
    with _opened(request.source, name) as opened:
        budget.check(*opened.size, limits=request.limits)
        with blamed_on(damaged(name)):
            image = from_pillow(opened)
    request.meter.reach(READ, "reading")
    return Picture(image, (image.width, image.height))


def from_pillow(opened: Any) -> pyvips.Image:
    """Return what Pillow decodes as an image of libvips, with its colour profile if it has one."""
    mode = _mode(opened)
    decoded = opened if opened.mode == mode else opened.convert(mode)
    kind = "ushort" if mode == "I;16" else "uchar"
    image = pyvips.Image.new_from_memory(decoded.tobytes(), *decoded.size, _BANDS[mode], kind)
    image = image.copy(interpretation=_SPACES.get(mode, "srgb"))
    return metadata.attached(image, exif=None, xmp=None, profile=opened.info.get("icc_profile"))


def _opened(source: Path, name: str) -> PIL.Image.Image:
    """Read the header; what is longer there than memory is a lie."""
    try:
        with blamed_on(foreign(name)):
            return PIL.Image.open(source, formats=(NAMES[name],))
    except MemoryError as error:
        raise foreign(name) from error


def _mode(opened: Any) -> str:
    if opened.mode in _BANDS:
        return str(opened.mode)
    if opened.mode == "1":
        return "L"
    if opened.mode.startswith("I"):  # Pillow's name for what a PNM of 16 bits holds
        return "I;16"
    if opened.mode == "F":
        raise Refusal(
            "unsupported_content",
            "The pixels are stored as fractions, for which no range of brightness is defined. "
            "Save the image with 8 or 16 bits for each channel first.",
        )
    return "RGBA" if opened.has_transparency_data else "RGB"


def _look_at_header(source: Path, name: str) -> None:
    """Refuse what Pillow would give a wrong reason for, or take for an image without any sign."""
    with source.open("rb") as file:
        head = file.read(26)
        file.seek(-min(len(_TARGA_END), os.fstat(file.fileno()).st_size), os.SEEK_END)
        tail = file.read()
    if name == "tga" and tail != _TARGA_END:
        raise foreign(name)
    if (
        name == "psd"
        and head.startswith(b"8BPS")
        and (head[4:6], head[22:24]) != (b"\0\1", b"\0\x08")
    ):
        raise Refusal(
            "unsupported_content",
            "Of Photoshop images those with 8 bits a channel can be read, and not those of the "
            "large document format. Save a copy with 8 bits, or as TIFF or PNG.",
        )
