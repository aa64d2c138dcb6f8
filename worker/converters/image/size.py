"""How large the result gets, and the resizing, cutting and padding that lead there."""

from dataclasses import dataclass, replace

import pyvips

from app.formats.image import ImageOptions
from worker.converters.image import alpha, budget
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import TITLES
from worker.converters.refusal import Refusal

ICON_SIDE = 256

# JPEG: libjpeg; WebP: the format; AVIF: libvips; GIF, BMP: 16 bit, as far as readers go.
LONGEST = {"jpg": 65_500, "webp": 16_383, "avif": 16_384, "gif": 65_535, "bmp": 32_767}


@dataclass(frozen=True)
class Plan:
    """The picture is scaled to `inner`, then cut or padded to `outer`."""

    inner: tuple[int, int]
    outer: tuple[int, int]


def plan(full: tuple[int, int], request: Request, *, frames: int = 1) -> Plan:
    """Return the sizes of one frame of the result; raise Refusal when they cannot be."""
    planned = _fit(full, request.wish)
    if request.target_format == "ico":
        planned = _within(planned, ICON_SIDE)
    for size in (planned.outer, planned.inner):
        budget.check_result(*size, frames, limits=request.limits)
    _check_side(planned.outer, request.target_format)
    return planned


def resize(picture: Picture, request: Request) -> Picture:
    """Return the picture in the planned size."""
    planned = plan(picture.full, request, frames=picture.frames)
    if (picture.image.width, picture.height) != planned.inner:
        picture = picture.each_frame(lambda frame: _scale(frame, planned.inner))
    if planned.outer != planned.inner:
        picture = picture.each_frame(lambda frame: _frame_in(frame, planned.outer, request))
    if request.target_format == "ico" and planned != _fit(picture.full, request.wish):
        picture = picture.noting(f"An icon has at most {ICON_SIDE} pixels on a side: scaled down.")
    return replace(picture, full=planned.outer)


def _fit(full: tuple[int, int], wish: ImageOptions) -> Plan:
    across = wish.width / full[0] if wish.width else None
    down = wish.height / full[1] if wish.height else None
    if across is None or down is None:
        inner = _scaled(full, across or down or 1.0)
        return Plan(inner, inner)
    inside, box = _scaled(full, min(across, down)), _box(wish)
    plans = {
        "inside": Plan(inside, inside),
        "pad": Plan(inside, box),
        "cover": Plan(_scaled(full, max(across, down)), box),
        "fill": Plan(box, box),
    }
    return plans[wish.fit]


def _box(wish: ImageOptions) -> tuple[int, int]:
    return wish.width or 0, wish.height or 0


def _within(planned: Plan, side: int) -> Plan:
    factor = min(1.0, side / max(planned.outer))
    return Plan(_scaled(planned.inner, factor), _scaled(planned.outer, factor))


def _scaled(size: tuple[int, int], factor: float) -> tuple[int, int]:
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def _check_side(size: tuple[int, int], target_format: str) -> None:
    longest = LONGEST.get(target_format)
    if longest and max(size) > longest:
        raise Refusal(
            "unsupported_content",
            f"{TITLES[target_format]} holds at most {longest:,} pixels in width and height; this "
            f"picture would have {budget.sides(*size)}. Give a smaller width or height, or choose "
            "another format.",
        )


def _scale(frame: pyvips.Image, size: tuple[int, int]) -> pyvips.Image:
    return alpha.premultiplied(
        frame, lambda solid: solid.resize(size[0] / frame.width, vscale=size[1] / frame.height)
    )


def _frame_in(frame: pyvips.Image, size: tuple[int, int], request: Request) -> pyvips.Image:
    left, top = (size[0] - frame.width) // 2, (size[1] - frame.height) // 2
    if request.wish.fit == "cover":
        return frame.crop(-left, -top, *size)
    ground = alpha.ground(frame, request)
    if len(ground) > frame.bands:
        frame = frame.addalpha()
    return frame.gravity("centre", *size, extend="background", background=ground)
