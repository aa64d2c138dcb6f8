"""HEIC, which the libvips wheel cannot decode: through libheif as pillow-heif brings it."""

from typing import Any

import pillow_heif
import pyvips

from worker.converters.image import budget, metadata
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import blamed_on, damaged, foreign
from worker.converters.image.upright import READ

_BANDS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}


def read(request: Request) -> Picture:
    """Return the main image, which libheif has already turned upright."""
    with blamed_on(foreign("heic")):
        opened = pillow_heif.open_heif(str(request.source), convert_hdr_to_8bit=False)
        main = opened[opened.primary_index]
    budget.check(*main.size, limits=request.limits)
    with blamed_on(damaged("heic")):
        image = _decoded(main)
    request.meter.reach(READ, "reading")
    picture = Picture(image, (image.width, image.height))
    if len(opened) > 1:
        return picture.noting(f"Only the main one of {len(opened)} pictures was taken.")
    return picture


def _decoded(main: Any) -> pyvips.Image:
    mode, _, depth = main.mode.partition(";")
    if mode == "I":
        mode = "L"
    kind, size = ("ushort", 2) if depth else ("uchar", 1)
    bands, (width, height) = _BANDS[mode], main.size
    row = main.stride // (bands * size)
    image = pyvips.Image.new_from_memory(main.data, row, height, bands, kind)
    image = image.crop(0, 0, width, height).copy(interpretation=_space(bands, kind))
    image = metadata.attached(
        image,
        exif=main.info.get("exif"),
        xmp=main.info.get("xmp"),
        profile=main.info.get("icc_profile"),
    )
    return metadata.made_true(image)  # the EXIF orientation only repeats what libheif applied


def _space(bands: int, kind: str) -> str:
    if bands <= 2:
        return "grey16" if kind == "ushort" else "b-w"
    return "rgb16" if kind == "ushort" else "srgb"
