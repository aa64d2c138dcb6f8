"""Pages become pictures: one file for one page, a zip of them for several, which packs nothing."""

import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any, cast

import pypdfium2
from PIL import Image

from worker.converters.pdf import units
from worker.converters.pdf.drawing import drawn
from worker.converters.pdf.opening import Opened
from worker.converters.pdf.pages import loaded
from worker.converters.pdf.request import Request
from worker.converters.pdf.size import Plan, plan, reduced

QUALITY = {"jpg": 85, "webp": 80}

_DRAWN = 0.5  # the part of a page's work that is done before it is encoded
_BYTES_A_PIXEL = 0.1  # of a usual result: only for how far it is
_NAMES = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP"}
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first day that a zip knows: a result has no date


@dataclass
class _Made:
    """What was made so far: the last plan, and the pages that had to do with fewer dots.

    `units` are those of the pages that count in others than points.
    """

    units: dict[int, float]
    last: Plan | None = None
    reduced: dict[int, float] = field(default_factory=dict)


def write(found: Opened, indices: list[int], request: Request) -> dict[str, Any]:
    """Write the target: a picture, or a zip of pictures named by the numbers of their pages."""
    document, made = found.document, _Made(units.of(found, indices, request))
    if len(indices) == 1:
        with request.target.open("wb") as file:
            _write_page(document, indices, 0, file, made, request)
    else:
        _write_all(document, indices, made, request)
    return _facts(made, indices, request)


def _write_all(
    document: pypdfium2.PdfDocument, indices: list[int], made: _Made, request: Request
) -> None:
    digits = max(3, len(str(len(document))))
    with zipfile.ZipFile(request.target, "w") as archive:
        for place, index in enumerate(indices):
            name = f"page-{index + 1:0{digits}}.{request.target_format}"
            with archive.open(zipfile.ZipInfo(name, _LONG_AGO), "w") as file:
                _write_page(document, indices, place, file, made, request)


def _write_page(
    document: pypdfium2.PdfDocument,
    indices: list[int],
    place: int,
    file: IO[bytes],
    made: _Made,
    request: Request,
) -> None:
    index, target = indices[place], request.target_format
    tell = request.meter.page(place, len(indices))
    with loaded(document, index) as page:
        unit = made.units.get(index, 1.0)
        made.last = plan(page, request.wish.dpi, target, request.limits, unit=unit)
        transparent = request.wish.transparent and target != "jpg"
        image = drawn(
            page, made.last, transparent=transparent, tell=lambda part: tell(part * _DRAWN)
        )
    if made.last.dpi < request.wish.dpi:
        made.reduced[index] = made.last.dpi
    _save(image, _Told(file, image.width * image.height * _BYTES_A_PIXEL, tell), made.last, request)
    tell(1.0)


def _save(image: Image.Image, file: "_Told", plan: Plan, request: Request) -> None:
    target = request.target_format
    options: dict[str, Any] = {}
    if target in QUALITY:
        options["quality"] = request.wish.quality or QUALITY[target]
    if target != "webp" and plan.dpi >= 1:
        options["dpi"] = (plan.dpi, plan.dpi)
    if target == "png" and image.mode == "RGBX":
        image = image.convert("RGB")
    image.save(cast("IO[bytes]", file), _NAMES[target], **options)


class _Told:
    """Passes on what is written, and tells how much, against what is `expected` in the end.

    It has no number: given one, Pillow writes past Python and loses why that failed.
    """

    def __init__(self, file: IO[bytes], expected: float, tell: Callable[[float], None]) -> None:
        self._file = file
        self._expected = expected
        self._tell = tell
        self._written = 0

    def write(self, data: bytes) -> int:
        self._written += len(data)
        left = math.exp(-self._written / self._expected)
        self._tell(1 - (1 - _DRAWN) * left)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def _facts(made: _Made, indices: list[int], request: Request) -> dict[str, Any]:
    notes = []
    if made.reduced:
        notes.append(reduced(made.reduced, request.wish.dpi))
    if request.wish.transparent and request.target_format == "jpg":
        notes.append("JPEG knows no transparency: the paper is white.")
    if request.wish.quality and request.target_format not in QUALITY:
        notes.append("PNG has no quality to choose; it was left as it is.")
    facts: dict[str, Any] = {"dpi": request.wish.dpi, "notes": notes}
    if made.last is not None and len(indices) == 1:
        facts |= {"width": made.last.width, "height": made.last.height}
        facts["dpi"] = float(f"{made.last.dpi:.4g}")
    return facts
