"""One picture from file to file: read, stand upright, manage colours, resize, write."""

import os
from dataclasses import replace
from errno import EACCES, EDQUOT, EFBIG, EIO, ENOSPC, EROFS
from pathlib import Path
from typing import Any

import pyvips

from app.formats.image import ImageOptions
from worker.converters.image import pages
from worker.converters.image.alpha import flatten
from worker.converters.image.colour import manage
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import WRITTEN, ImageMeter
from worker.converters.image.reading import read
from worker.converters.image.refusal import damaged
from worker.converters.image.saving import Writer, save
from worker.converters.image.size import resize
from worker.converters.image.upright import stand_up
from worker.converters.limits import Limits
from worker.converters.progress import Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused

# libjpeg, glib and most others; the last two are what libheif says when its encoder gets none.
_OUT_OF_MEMORY = (
    "out of memory",
    "insufficient memory",
    "allocat",
    "thread creation failed",
    "encoder plugin generated an error",
)
_OUT_OF_ROOM = (ENOSPC, EFBIG, EDQUOT, EIO, EROFS, EACCES)


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str,
    target_format: str,
    options: dict[str, Any],
    limits: Limits,
    progress: Progress,
) -> Converted | Refused:
    """Convert one picture; a surprise (no memory, no room on disk) is raised."""
    meter = ImageMeter(progress)
    try:
        wish = wish_of(options, ImageOptions)
        request = Request(source, target, source_format, target_format, wish, limits, meter)
        return _converted(request)
    except Refusal as refusal:
        return refusal.outcome
    except pyvips.Error as error:
        return _blame(error, source_format).outcome


def _converted(request: Request) -> Converted:
    found = pages.of(request)
    request = replace(request, page=found[0])
    if len(found) == 1:
        return Converted(_facts(_convert(request)))
    if request.wish.first_frame:
        left_out = f"Only the first of {len(found)} pages was taken."
        return Converted(_facts(_convert(request).noting(left_out)))
    facts = pages.convert_all(found, _convert, request)
    return Converted(facts, format=None if request.target_format == "pdf" else "zip")


def _convert(request: Request, write: Writer | None = None) -> Picture:
    request.meter.reach(0.0, "reading")
    picture = read(request)
    picture = stand_up(picture, request.meter)
    picture = manage(picture, request)
    picture = flatten(picture, request)
    picture = resize(picture, request)
    picture = save(picture, request, write)
    request.meter.reach(WRITTEN, "writing")
    return picture


def _facts(picture: Picture) -> dict[str, Any]:
    return {
        "width": int(picture.image.width),
        "height": picture.height,
        "frames": picture.frames,
        "notes": list(picture.notes),
    }


def _blame(error: pyvips.Error, source_format: str) -> Refusal:
    """Return the refusal of a damaged file, or raise when the machine was at fault.

    libvips computes while it writes, so only the text of its error tells the two apart.
    """
    text = str(error)
    for code in _OUT_OF_ROOM:
        if os.strerror(code) in text:
            raise OSError(code, text) from error
    if any(phrase in text.lower() for phrase in _OUT_OF_MEMORY):
        raise MemoryError(text) from error
    return damaged(source_format)
