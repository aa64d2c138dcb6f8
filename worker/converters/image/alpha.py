"""Transparency: kept where the target knows it, otherwise laid on a colour, never on black."""

from collections.abc import Callable

import pyvips

from worker.converters.image.picture import Picture, Request

OPAQUE = frozenset({"jpg", "bmp", "pdf"})
WHITE = "#ffffff"


def flatten(picture: Picture, request: Request) -> Picture:
    """Lay the picture on its background if the target cannot be transparent or one was given."""
    if not picture.image.hasalpha() or not _is_laid(request):
        return picture
    colour = _ground_colour(picture.image, request)
    return picture.each_frame(lambda frame: frame.flatten(background=colour))


def ground(frame: pyvips.Image, request: Request) -> list[float]:
    """Return the value of a pixel where there is no picture.

    It has one more number than `frame` has bands when it is transparent and the frame is not.
    """
    if _is_laid(request):
        return _ground_colour(frame, request)
    return [0.0] * (_colours(frame) + 1)


def premultiplied(
    frame: pyvips.Image, change: Callable[[pyvips.Image], pyvips.Image]
) -> pyvips.Image:
    """Apply `change` so that the invisible colour of transparent pixels bleeds into nothing."""
    if not frame.hasalpha():
        return change(frame)
    changed = change(frame.premultiply()).unpremultiply()
    return changed.rint().cast(frame.format).copy(interpretation=frame.interpretation)


def _is_laid(request: Request) -> bool:
    return request.target_format in OPAQUE or request.wish.background is not None


def _ground_colour(frame: pyvips.Image, request: Request) -> list[float]:
    text = request.wish.background or WHITE
    scale = 257 if frame.format == "ushort" else 1
    rgb = [float(int(text[at : at + 2], 16) * scale) for at in (1, 3, 5)]
    return rgb[: _colours(frame)]


def _colours(frame: pyvips.Image) -> int:
    return int(frame.bands) - (1 if frame.hasalpha() else 0)
