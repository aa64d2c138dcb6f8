"""How many pixels a page becomes, decided from its size before anything is drawn."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pypdfium2

from worker.converters.limits import Limits
from worker.converters.pdf.selection import named
from worker.converters.refusal import Refusal

POINTS = 72  # in an inch
# JPEG: libjpeg; WebP: the format; PNG: as far as browsers go.
LONGEST = {"jpg": 65_500, "webp": 16_383, "png": 65_535}


@dataclass(frozen=True)
class Plan:
    """The size of a picture; `dpi` is less than was asked for when the page is too large."""

    width: int
    height: int
    dpi: float


def plan(
    page: pypdfium2.PdfPage, dpi: int, target_format: str, limits: Limits, *, unit: float = 1.0
) -> Plan:
    """Return the size of a page at `dpi`, or at as many as `max_pixels` and the format allow.

    `unit` is that of the page's own numbers, in points.
    """
    across, down = (side * unit for side in page.get_size())
    if across <= 0 or down <= 0:
        raise Refusal("corrupt_input", "A page has no visible area: its crop box is empty.")
    longest = LONGEST[target_format]
    scale = dpi / POINTS
    most = min(longest / max(across, down), math.sqrt(limits.max_pixels / across / down))
    if scale <= most:
        sides = _rounded(across * scale), _rounded(down * scale)
        if max(sides) <= longest and sides[0] * sides[1] <= limits.max_pixels:
            return Plan(*sides, dpi)
    scale = min(scale, most)
    return Plan(_floored(across * scale), _floored(down * scale), scale * POINTS)


def reduced(pages: Mapping[int, float], dpi: int) -> str:
    """Return the sentence that says which pages (dots by index) had to do with fewer dots."""
    lowest = f"{min(pages.values()):.3g}"
    fewer = lowest if len(pages) == 1 else f"as few as {lowest}"
    are, were = ("is", "was") if len(pages) == 1 else ("are", "were")
    where = named(pages).capitalize()
    return f"{where} {are} too large for {dpi} dpi and {were} drawn with {fewer}."


def _rounded(side: float) -> int:
    return max(1, round(side))


def _floored(side: float) -> int:
    return max(1, math.floor(side))
