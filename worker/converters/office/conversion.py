"""One office document from file to file: looked at, read and written by LibreOffice, looked at."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.formats.office import OLD, OfficeOptions
from worker.converters.limits import Limits
from worker.converters.office import choice, filters, grids, libreoffice, looking, result, telling
from worker.converters.office.extent import NARROW
from worker.converters.office.kit import Document, Unable
from worker.converters.office.progress import OfficeMeter
from worker.converters.office.refusal import damaged, foreign, locked, title, wrong_password
from worker.converters.office.seen import Seen
from worker.converters.pdf.selection import chosen
from worker.converters.progress import Progress
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused

_OPEN = {"writer": "odt", "calc": "ods", "impress": "odp"}  # what each program writes best


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

    def order(self, seen: Seen) -> libreoffice.Order:
        return libreoffice.Order(
            source=self.source,
            seen=seen,
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
    order = request.order(_look(request.source, request.source_format, request))
    if order.seen.locked and wish.password is None:
        raise locked()
    if grids.get_lost(order.seen, order.target_format):
        copy = Path.cwd() / f"drawable.{request.source_format}"
        grids.leave_out(order.source, copy)
        order = replace(order, source=copy)
    meter.reach(0.1, "starting")
    document = _read(order, request, meter)
    _look_within(document, order.seen, request, meter)
    facts = _write(document, order, request, meter)
    return facts | {"notes": telling.notes(order, document)}


def _look(source: Path, source_format: str, request: _Request) -> Seen:
    return looking.look(
        source, source_format, limits=request.limits, target_format=request.target_format
    )


def _read(order: libreoffice.Order, request: _Request, meter: OfficeMeter) -> Document:
    try:
        document = libreoffice.read(order, meter)
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


def _look_within(document: Document, seen: Seen, request: _Request, meter: OfficeMeter) -> None:
    """Look at what could not be looked at before: it was locked, or keeps its old slides too."""
    kind = _OPEN.get(document.program or "")
    if kind is None:
        return
    if seen.locked and request.target_format in NARROW:
        _look_at_opened(document, kind, request, meter)
    elif request.target_format == "pdf" and (document.was_locked or request.source_format == "ppt"):
        with suppress(Refusal, Unable):  # it is for notes only
            within = _look_at_opened(document, kind, request, meter)
            seen.comments, seen.unprinted = within.comments, within.unprinted
            seen.grids |= within.grids
        if document.was_locked and grids.get_lost(seen, "pdf"):
            raise grids.cannot_be_left_out()


def _look_at_opened(document: Document, kind: str, request: _Request, meter: OfficeMeter) -> Seen:
    opened = Path.cwd() / f"opened.{kind}"
    try:
        with meter.watched("reading", until=0.65):
            document.save(opened, kind, "")
        return _look(opened, kind, request)
    finally:
        opened.unlink(missing_ok=True)


def _write(
    document: Document, order: libreoffice.Order, request: _Request, meter: OfficeMeter
) -> dict[str, Any]:
    pages, most = request.wish.pages, request.limits.max_pages
    try:
        libreoffice.write(document, order, meter)
    except Unable as unable:
        if pages is None:
            raise
        raise _beyond(document, pages, request.limits) from unable
    facts = result.look(request.target, request.target_format, max_pages=most)
    if pages is not None and choice.lacks(pages, facts["pages"], most=most):
        raise _beyond(document, pages, request.limits)
    return facts


def _beyond(document: Document, pages: str, limits: Limits) -> Refusal:
    """Return the refusal of pages that are not there; all are written again, to count them."""
    whole = Path.cwd() / "whole.pdf"
    with suppress(Unable):
        options = filters.options("pdf", OfficeOptions(), max_pages=limits.max_pages)
        document.save(whole, "pdf", options)
        total = result.count_pages(whole)
        if total <= limits.max_pages:
            try:
                chosen(pages, total, limits)
            except Refusal as refusal:
                return refusal
    return Refusal("bad_options", f"The document lacks some of the pages {pages}; ask for others.")
