"""Animations that libvips sees only the first frame of: PNG and AVIF, through Pillow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import PIL.Image
import pyvips

from worker.converters.image import metadata, whole
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE, ImageMeter
from worker.converters.image.refusal import blamed_on, damaged, foreign
from worker.converters.image.upright import READ, orientation, swaps_sides

DECODED = 0.5

_NAMES = {"png": "PNG", "avif": "AVIF"}
_PASSES = {"png": 2, "avif": 1}  # how often Pillow's writer goes over the frames
_SEQUENCE = b"avis"  # the brand of an AVIF whose images follow each other in time


def is_moving(request: Request) -> bool:
    """Whether more than one image in this file means time, and not a collection."""
    if request.source_format == "png":
        return True
    return request.source_format == "avif" and _SEQUENCE in _head(request.source)


def count(request: Request) -> int:
    """Return the number of frames that the header states."""
    if not is_moving(request):
        return 1
    with blamed_on(foreign(request.source_format)), _open(request) as opened:
        return int(getattr(opened, "n_frames", 1))


def read(request: Request) -> Picture:
    """Return every frame as it is shown, in memory."""
    with blamed_on(damaged(request.source_format)), _open(request) as opened:
        return _read_all(opened, request)


def _read_all(opened: Any, request: Request) -> Picture:
    width, height = opened.size
    plays = int(opened.info.get("loop", 0))
    strip, delays = bytearray(), []
    for at in range(opened.n_frames):
        opened.seek(at)
        strip += opened.convert("RGBA").tobytes()
        delays.append(round(opened.info.get("duration", 100)))
        request.meter.reach(READ * (at + 1) / opened.n_frames, "reading")
    image = pyvips.Image.new_from_memory(strip, width, height * len(delays), 4, "uchar")
    image = metadata.attached(
        image.copy(interpretation="srgb"),
        exif=opened.info.get("exif"),
        xmp=opened.info.get("xmp"),
        profile=opened.info.get("icc_profile"),
    )
    picture = Picture(image, (width, height), len(delays), tuple(delays), plays)
    full = (height, width) if swaps_sides(orientation(picture)) else (width, height)
    return Picture(image, full, picture.frames, picture.delays, plays)


def write(picture: Picture, request: Request, **options: Any) -> None:
    """Write all frames; `options` are those of Pillow's writer for the target's format."""
    first, *others = _frames(picture, request)
    whole.save(
        first,
        request.target,
        _NAMES[request.target_format],
        save_all=True,
        append_images=others,
        duration=list(picture.delays),
        loop=picture.plays,
        **options,
    )


def _frames(picture: Picture, request: Request) -> Iterator[PIL.Image.Image]:
    """Yield the frames as views into one block of memory."""
    image = picture.image.colourspace("srgb")
    image = image if image.hasalpha() else image.addalpha()
    with request.meter.watch(image, until=DECODED, stage="encoding"):
        pixels = memoryview(image.write_to_memory())
    size = (image.width, picture.height)
    length = len(pixels) // picture.frames
    tell = _Teller(request.meter, picture.frames * _PASSES[request.target_format])
    for start in range(0, len(pixels), length):
        part = cast("bytes", pixels[start : start + length])  # shared with the block, not copied
        frame = PIL.Image.frombuffer("RGBA", size, part, "raw", "RGBA", 0, 1)
        # Pillow's writers ask each frame for its first image just before they encode it.
        setattr(frame, "seek", tell)  # noqa: B010 - to mypy a method cannot be replaced
        yield frame


class _Teller:
    """Tells of every call; after `calls` of them all frames are encoded."""

    def __init__(self, meter: ImageMeter, calls: int) -> None:
        self._meter = meter
        self._step = (PIXELS_DONE - meter.value) / calls

    def __call__(self, at: int) -> None:
        if at > 0:
            raise EOFError  # the frame holds a single image
        self._meter.reach(min(PIXELS_DONE, self._meter.value + self._step), "encoding")


def _open(request: Request) -> PIL.Image.Image:
    return PIL.Image.open(request.source, formats=(_NAMES[request.source_format],))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(64)
