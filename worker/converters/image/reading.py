"""A file becomes a picture: by the reader of its stated format, never by a guess at its bytes."""

from collections.abc import Callable

import pyvips

from worker.converters.image import (
    animation,
    budget,
    gif,
    heic,
    ico,
    lab,
    loaders,
    svg,
    through_pillow,
)
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import damaged, foreign
from worker.converters.image.size import plan
from worker.converters.image.upright import orientation, swaps_sides

_LOAD = {
    "jpg": "jpegload",
    "png": "pngload",
    "webp": "webpload",
    "avif": "heifload",
    "tiff": "tiffload",
    "gif": "gifload",
}
_TIMED = frozenset({"gif", "webp"})  # what libvips reads as animations; the rest are pages


def read(request: Request) -> Picture:
    """Return the picture, with its pixels still to be read where the format allows that."""
    readers: dict[str, Callable[[Request], Picture]] = {
        "svg": svg.read,
        "heic": heic.read,
        "ico": ico.read,
        **dict.fromkeys(through_pillow.NAMES, through_pillow.read),
    }
    reader = readers.get(request.source_format, _read_with_libvips)
    return reader(request)


def _read_with_libvips(request: Request) -> Picture:
    loaders.allow(request.source_format)
    head = _open(request)
    frames = max(_count(head, "n-pages"), animation.count(request))
    timed = request.source_format in _TIMED or animation.is_moving(request)
    if frames > 1 and timed and request.animated:
        budget.check(head.width, head.height, frames, limits=request.limits)
        return _moving(request) if request.source_format in _TIMED else animation.read(request)
    budget.check(head.width, head.height, limits=request.limits)
    left_out = [f"Only the first of {frames} frames was taken."] if timed and frames > 1 else []
    return _still(head, request).noting(*left_out)


def _open(request: Request, **options: int) -> pyvips.Image:
    if request.source_format == "tiff":
        options["page"] = request.page
    try:
        return pyvips.Operation.call(
            _LOAD[request.source_format],
            str(request.source),
            access="sequential",
            fail_on="error",
            **options,
        )
    except pyvips.Error as error:
        if lab.is_meant(error):
            return lab.decoded(request)
        raise foreign(request.source_format) from error


def _still(head: pyvips.Image, request: Request) -> Picture:
    picture = Picture(head, (head.width, head.height))
    if swaps_sides(orientation(picture)):
        picture = Picture(head, (head.height, head.width))
    if request.source_format == "jpg":
        picture = Picture(_shrunk(picture, request), picture.full)
    return picture


def _shrunk(picture: Picture, request: Request) -> pyvips.Image:
    """Let libjpeg deliver a half, a quarter or an eighth when the result needs half of that."""
    wanted = plan(picture.full, request).inner
    ratio = min(picture.full[0] / wanted[0], picture.full[1] / wanted[1])
    for factor in (8, 4, 2):
        if ratio >= factor * 2:
            return _open(request, shrink=factor)
    return picture.image


def _moving(request: Request) -> Picture:
    if request.source_format == "gif" and gif.ends_early(request.source):
        raise damaged("gif")
    strip = _open(request, n=-1)
    frames = _count(strip, "n-pages")
    delays = tuple(strip.get("delay")) if strip.get_typeof("delay") else ()
    plays = int(strip.get("loop")) if strip.get_typeof("loop") else 0
    full = (strip.width, strip.height // frames)
    picture = Picture(strip, full, frames, (*delays, *[100] * frames)[:frames], plays)
    if swaps_sides(orientation(picture)):
        return Picture(strip, full[::-1], frames, picture.delays, plays)
    return picture


def _count(image: pyvips.Image, name: str) -> int:
    return int(image.get(name)) if image.get_typeof(name) else 1
