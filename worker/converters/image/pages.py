"""A TIFF of several pages: they become the pages of a PDF, or pictures in a zip."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from worker.converters.image import directories, pdf
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import blamed_on, foreign
from worker.converters.image.saving import Writer
from worker.converters.refusal import Refusal

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first day that a zip knows: a result has no date
_BLOCK_BYTES = 1024**2

Convert = Callable[[Request, Writer | None], Picture]


def of(request: Request) -> list[int]:
    """Return which images of the source are pages; its small copies and masks are none."""
    if request.source_format != "tiff":
        return [0]
    with blamed_on(foreign("tiff")):
        found = list(islice(directories.pages(request.source), request.limits.max_pages + 1))
    if len(found) > request.limits.max_pages:
        raise _too_many(request.limits.max_pages)
    return found or [0]


def convert_all(pages: list[int], convert: Convert, request: Request) -> dict[str, Any]:
    """Write the target, a PDF or a zip, from all these pages; return the facts."""
    write = _into_pdf if request.target_format == "pdf" else _into_zip
    notes: dict[str, None] = {}
    for picture in write(pages, convert, request):
        notes.update(dict.fromkeys(picture.notes))
    return {"pages": len(pages), "notes": list(notes)}


def _too_many(most: int) -> Refusal:
    return Refusal(
        "too_many_pages",
        f"The image has more than {most:,} pages, which is what this service converts at "
        "a time (ROWMILL_MAX_PAGES).",
    )


def _into_pdf(pages: list[int], convert: Convert, request: Request) -> Iterator[Picture]:
    with request.target.open("wb") as file:
        document = pdf.Document(file)
        for one in _each(pages, request):
            yield convert(one, document.add)
        document.end()


def _into_zip(pages: list[int], convert: Convert, request: Request) -> Iterator[Picture]:
    digits = max(3, len(str(len(pages))))
    with zipfile.ZipFile(request.target, "w") as archive:
        for number, one in enumerate(_each(pages, request), start=1):
            made = one.target.with_name(f"page.{request.target_format}")
            yield convert(replace(one, target=made), None)
            name = f"page-{number:0{digits}}.{request.target_format}"
            _take_in(archive, name, made)


def _each(pages: list[int], request: Request) -> Iterator[Request]:
    for place, page in enumerate(pages):
        yield replace(request, page=page, meter=request.meter.part(place, len(pages)))


def _take_in(archive: zipfile.ZipFile, name: str, made: Path) -> None:
    with archive.open(zipfile.ZipInfo(name, _LONG_AGO), "w") as entry, made.open("rb") as file:
        shutil.copyfileobj(file, entry, _BLOCK_BYTES)
    made.unlink()
