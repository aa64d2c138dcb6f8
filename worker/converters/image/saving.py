"""A picture becomes a file: by the writer of the target's format, with that format's defaults."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyvips

from app.formats.image import ImageOptions
from worker.converters.image import animation, bmp, ico, metadata, pdf, room
from worker.converters.image.colour import AVIF_BITS, PROFILE
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE
from worker.converters.image.refusal import TITLES

Writer = Callable[[Picture, Request], None]

QUALITY = {"jpg": 85, "webp": 80, "avif": 60}
LOSSLESS = frozenset({"webp", "avif", "pdf"})  # the formats that have both ways
AVIF_EFFORT = 1  # 8 % larger than with 3, in a third of the time
GIF_EFFORT = 3  # 14 % larger than with 7, in a third of the time
GRAPHICS = frozenset({"gif", "svg", "ico"})  # flat colours, which the filters of PNG would blur

_SAVE = {
    "jpg": "jpegsave",
    "png": "pngsave",
    "webp": "webpsave",
    "avif": "heifsave",
    "tiff": "tiffsave",
    "gif": "gifsave",
}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "gif": {"effort": GIF_EFFORT},
    "avif": {"compression": "av1", "effort": AVIF_EFFORT},
    "tiff": {"compression": "deflate", "predictor": "horizontal"},
}
# Where most of the work comes after the last pixel was handed over: seconds for a megapixel.
_QUIET = {"avif": 0.4, "webp": 0.3, "gif": 0.6}
_QUIET_LOSSLESS = 6  # times as long
_HANDED_OVER = 0.4
_OWN: dict[str, Writer] = {"bmp": bmp.write, "ico": ico.write, "pdf": pdf.write}


def save(picture: Picture, request: Request, write: Writer | None = None) -> Picture:
    """Write the target file; return the picture as it was written, with what is to be noted.

    `write` stands in for the writer of the format.
    """
    picture = replace(picture, image=metadata.made_true(picture.image))
    write = write or _OWN.get(request.target_format)
    if write:
        write(picture, request)
    elif picture.frames > 1 and request.target_format in {"png", "avif"}:
        animation.write(picture, request, **_animation_options(picture, request))
    else:
        _save_with_libvips(_timed(picture), request)
    return picture.noting(*_ignored(picture, request))


def _save_with_libvips(image: pyvips.Image, request: Request) -> None:
    target = request.target_format
    keep = "icc" if request.wish.strip else "all"
    quiet = _quiet_seconds(image, request)
    options = _options(image, request)
    if target == "avif":
        room.check_avif(image, options)
    until = max(request.meter.value, _HANDED_OVER) if quiet else PIXELS_DONE
    with request.meter.watch(image, until=until, stage="encoding", quiet=quiet):
        pyvips.Operation.call(_SAVE[target], image, str(request.target), keep=keep, **options)


def _quiet_seconds(image: pyvips.Image, request: Request) -> float:
    megapixels: float = image.width * image.height / 1e6
    longer = _QUIET_LOSSLESS if request.wish.lossless else 1
    return _QUIET.get(request.target_format, 0.0) * megapixels * longer


def _options(image: pyvips.Image, request: Request) -> dict[str, Any]:
    wish, target = request.wish, request.target_format
    options = _DEFAULTS.get(target, {})
    if target == "png" and request.source_format not in GRAPHICS:
        options = {"filter": "all"}
    if target == "avif" and image.format == "ushort":
        options = {**options, "bitdepth": AVIF_BITS}
    if target not in QUALITY:
        return options
    lossless = wish.lossless and target in LOSSLESS
    return {**options, **({"lossless": True} if lossless else {"Q": _quality(wish, target)})}


def _animation_options(picture: Picture, request: Request) -> dict[str, Any]:
    image, wish = picture.image, request.wish
    options: dict[str, Any] = {}
    if image.get_typeof(PROFILE):
        options["icc_profile"] = bytes(image.get(PROFILE))
    if not wish.strip:
        options |= metadata.for_pillow(image)
    if request.target_format == "avif":
        lossless = {"quality": 100, "subsampling": "4:4:4"}
        options |= lossless if wish.lossless else {"quality": _quality(wish, "avif")}
        options |= {"speed": 8, "max_threads": 1}
    return options


def _timed(picture: Picture) -> pyvips.Image:
    """Return the image with the fields from which libvips writes an animation."""
    if picture.frames == 1:
        return picture.image
    image = picture.image.copy()
    image.set_type(pyvips.GValue.gint_type, "page-height", picture.height)
    image.set_type(pyvips.GValue.array_int_type, "delay", list(picture.delays))
    image.set_type(pyvips.GValue.gint_type, "loop", picture.plays)
    return image


def _quality(wish: ImageOptions, target: str) -> int:
    return wish.quality or QUALITY[target]


def _ignored(picture: Picture, request: Request) -> list[str]:
    title, notes = TITLES[request.target_format], []
    if request.wish.lossless:
        notes += _not_exact(picture, request.target_format)
    if request.wish.quality and request.target_format not in {*QUALITY, "pdf"}:
        notes.append(f"{title} has no quality to choose; it was left as it is.")
    if picture.frames > 1 and picture.plays and request.target_format == "avif":
        notes.append("The animation repeats for ever: AVIF was given no number of repeats.")
    return notes


def _not_exact(picture: Picture, target: str) -> list[str]:
    if target == "jpg":
        return [f"JPEG has no lossless form; quality {QUALITY['jpg']} was used."]
    if target == "gif":
        return ["GIF has no lossless form: of more than 256 colours the nearest were taken."]
    if target == "avif" and picture.frames > 1:
        return ["An AVIF that moves is not lossless to the bit: colours may be off by 2 of 255."]
    return []
