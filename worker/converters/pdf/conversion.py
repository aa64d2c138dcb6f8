"""One document from file to file: opened, its pages chosen, and made into what was asked for."""

from pathlib import Path
from typing import Any

from app.formats.pdf import PdfOptions
from worker.converters.limits import Limits
from worker.converters.pdf import copying, losses, pictures, qpdf, text
from worker.converters.pdf.opening import Opened, opened
from worker.converters.pdf.progress import OPENED, PageMeter
from worker.converters.pdf.request import Request
from worker.converters.pdf.selection import chosen
from worker.converters.progress import Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused

_OF_PICTURES = ("dpi", "quality", "transparent")


def convert(
    source: Path,
    target: Path,
    *,
    source_format: str,  # noqa: ARG001 - there is but one
    target_format: str,
    options: dict[str, Any],
    limits: Limits,
    progress: Progress,
) -> Converted | Refused:
    """Convert one document; a surprise (no memory, no room on disk) is raised."""
    try:
        wish = wish_of(options, PdfOptions)
        request = Request(source, target, target_format, wish, limits, PageMeter(progress))
        request.meter.reach(0.0, "opening")
        facts = copying.write(request) if target_format == "pdf" else _drawn_or_read(request)
    except Refusal as refusal:
        return refusal.outcome
    facts["notes"] += _ignored(request)
    return Converted(facts, format="zip" if _is_many(facts, target_format) else None)


def _drawn_or_read(request: Request) -> dict[str, Any]:
    writer = text if request.target_format == "txt" else pictures
    with opened(request) as found:
        total = len(found.document)
        indices = chosen(request.wish.pages, total, request.limits)
        unneeded = qpdf.unneeded(request.wish.password, was_locked=found.was_locked)
        notes = [*_lost(found, indices), *_beside(found), *unneeded]
        request.meter.reach(OPENED, "opening")
        facts = writer.write(found, indices, request)
    return {"pages": len(indices), "of_pages": total, **facts, "notes": notes + facts["notes"]}


def _lost(found: Opened, indices: list[int]) -> list[str]:
    if found.repaired is None:
        return [losses.DAMAGED] if found.is_damaged else []
    with qpdf.opened(found.repaired, None) as copy:
        return losses.notes(copy.pdf, indices)


def _beside(found: Opened) -> list[str]:
    attached = found.attachments
    if not attached:
        return []
    files = "a file" if attached == 1 else f"{attached} files"
    return [f"The document has {files} attached, which the result has not: convert it to PDF."]


def _ignored(request: Request) -> list[str]:
    if request.target_format not in {"txt", "pdf"}:
        return []
    given = [name for name in _OF_PICTURES if name in request.wish.model_fields_set]
    verb = "has" if len(given) == 1 else "have"
    return [f"{' and '.join(given)} {verb} no meaning without a picture."] if given else []


def _is_many(facts: dict[str, Any], target_format: str) -> bool:
    return facts["pages"] > 1 and target_format not in {"txt", "pdf"}
