"""One office document from file to file: looked at, read and written by LibreOffice, looked at."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.formats.office import OLD, OfficeOptions
from worker.converters.limits import Limits
from worker.converters.office import filters, libreoffice, looking, result
from worker.converters.office.extent import NARROW
from worker.converters.office.kit import Document, Unable
from worker.converters.office.progress import OfficeMeter
from worker.converters.office.refusal import damaged, foreign, locked, title, wrong_password
from worker.converters.progress import Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused


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
    """Convert one document; what is not its fault (no memory, a crash) is raised."""
    try:
        wish = wish_of(options, OfficeOptions)
        request = _Request(source, target, source_format, target_format, wish, limits)
        return Converted(_convert(request, OfficeMeter(progress)))
    except Refusal as refusal:
        return refusal.outcome


@dataclass(frozen=True)
class _Request:
    source: Path
    target: Path
    source_format: str
    target_format: str
    wish: OfficeOptions
    limits: Limits

    @property
    def order(self) -> libreoffice.Order:
        return libreoffice.Order(
            source=self.source,
            target=self.target,
            target_format=self.target_format,
            options=filters.options(self.target_format, self.wish, max_pages=self.limits.max_pages),
            password=self.wish.password,
        )


def _convert(request: _Request, meter: OfficeMeter) -> dict[str, Any]:
    wish = request.wish
    if request.target_format != "pdf" and (wish.pages is not None or wish.archive):
        raise Refusal("bad_options", "The options pages and archive have a meaning only for PDF.")
    meter.reach(0.02, "checking")
    meter.size = request.source.stat().st_size
    seen = looking.look(
        request.source,
        request.source_format,
        limits=request.limits,
        target_format=request.target_format,
    )
    if seen.locked and wish.password is None:
        raise locked()
    meter.reach(0.1, "starting")
    document = _read(request, meter)
    if seen.locked and request.target_format in NARROW:
        _check_room(document, request)
    _write(document, request, meter)
    facts = result.look(request.target, request.target_format, max_pages=request.limits.max_pages)
    return facts | {"notes": [*seen.notes, *_note_on_password(document, request)]}


def _note_on_password(document: Document, request: _Request) -> list[str]:
    if request.wish.password is None or document.was_locked:
        return []
    return ["The document has no password; the one that was sent along was not needed."]


def _read(request: _Request, meter: OfficeMeter) -> Document:
    try:
        document = libreoffice.read(request.order, meter)
    except libreoffice.CannotRead as cannot:
        if cannot.asked_for_password and request.wish.password is None:
            raise locked() from cannot
        # An old format is not asked for twice; the others are asked again when it was wrong.
        if cannot.asked_for_password > (0 if request.source_format in OLD else 1):
            raise wrong_password() from cannot
        raise damaged(request.source_format, "it cannot be read") from cannot
    _check_program(document, request)
    return document


def _check_program(document: Document, request: _Request) -> None:
    """Raise Refusal where LibreOffice took the document for something else."""
    known = filters.PROGRAMS.get(request.source_format)
    if known is not None and document.program != known.name:
        raise foreign(request.source_format)
    wanted = filters.PROGRAMS.get(request.target_format)
    if wanted is not None and document.program != wanted.name:
        raise Refusal(
            "unsupported_content",
            f"What the password opens is no {title(request.target_format)}; "
            "choose PDF, or the format that it has.",
        )


def _check_room(document: Document, request: _Request) -> None:
    """Look at a workbook that could not be looked at before, for its password."""
    opened = Path.cwd() / "opened.ods"
    document.save(opened, "ods", "")
    looking.look(opened, "ods", limits=request.limits, target_format=request.target_format)
    opened.unlink()


def _write(document: Document, request: _Request, meter: OfficeMeter) -> None:
    try:
        libreoffice.write(document, request.order, meter)
    except Unable as unable:
        if request.wish.pages is None:
            raise
        raise Refusal(
            "bad_options",
            f"The document has none of the pages {request.wish.pages}; ask for others.",
        ) from unable
