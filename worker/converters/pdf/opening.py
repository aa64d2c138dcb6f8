"""A file becomes a document that PDFium can draw: unlocked, and repaired where it is damaged."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from worker.converters.pdf import qpdf
from worker.converters.pdf.refusal import damaged, foreign
from worker.converters.pdf.request import Request
from worker.converters.refusal import Refusal

HEADER_BYTES = 1024  # within which a reader looks for %PDF- (ISO 32000-1, annex H)


@dataclass(frozen=True)
class Opened:
    """`repaired` is the copy that was made of a damaged file, if qpdf could make one.

    `was_locked` says whether it took a password, as far as that could be found out.
    """

    document: pypdfium2.PdfDocument
    is_damaged: bool
    repaired: Path | None
    was_locked: bool

    @property
    def attachments(self) -> int:
        return int(raw.FPDFDoc_GetAttachmentCount(self.document))


@contextmanager
def opened(request: Request) -> Iterator[Opened]:
    """Open the source, or a repaired copy beside the target; raise Refusal when neither can be."""
    check_header(request.source)
    copy = request.target.with_name("repaired.pdf")
    document, was_locked = _open(request.source, request.wish.password)
    try:
        is_damaged = document is None or not _is_sound(document)
        if document is None or is_damaged:
            document = _repaired(request, copy, document)
        _refuse_what_shows_only_a_placeholder(document)
        document.init_forms()
        yield Opened(document, is_damaged, copy if copy.exists() else None, was_locked)
    finally:
        if document is not None:
            document.close()
        copy.unlink(missing_ok=True)


def check_header(source: Path) -> None:
    """Raise Refusal for bytes that never were a PDF; qpdf would search all of them for one."""
    with source.open("rb") as file:
        if b"%PDF-" not in file.read(HEADER_BYTES + 8):
            raise foreign()


def _open(source: Path, password: str | None) -> tuple[pypdfium2.PdfDocument | None, bool]:
    """Return the document, None if PDFium cannot find its way through, and whether it was locked.

    One without a way through counts as locked: nobody asked for a password yet.
    """
    code = raw.FPDF_ERR_PASSWORD
    for candidate in (None, *qpdf.spellings(password)):
        try:
            return pypdfium2.PdfDocument(source, password=candidate), candidate is not None
        except pypdfium2.PdfiumError as error:
            code = error.err_code
        if code != raw.FPDF_ERR_PASSWORD:
            break
    if code == raw.FPDF_ERR_PASSWORD:
        raise qpdf.locked(password)
    if code == raw.FPDF_ERR_SECURITY:
        raise qpdf.sealed()
    return None, True


def _is_sound(document: pypdfium2.PdfDocument) -> bool:
    """Whether the table of objects is whole, and every page is where its number says."""
    if not raw.FPDF_DocumentHasValidCrossReferenceTable(document):
        return False
    size = raw.FS_SIZEF()
    backwards = range(len(document) - 1, -1, -1)  # a number that is too large shows at once
    return all(raw.FPDF_GetPageSizeByIndexF(document, index, size) for index in backwards)


def _repaired(
    request: Request, copy: Path, document: pypdfium2.PdfDocument | None
) -> pypdfium2.PdfDocument:
    """Return the repaired document; when qpdf gives up, what PDFium itself could make of it."""
    try:
        qpdf.repair(request.source, copy, request.wish.password)
        repaired, _ = _open(copy, None)
    except Refusal:
        copy.unlink(missing_ok=True)
        repaired = None
    if repaired is not None and document is not None:
        document.close()
    if (found := repaired or document) is None:
        raise damaged()
    return found


def _refuse_what_shows_only_a_placeholder(document: pypdfium2.PdfDocument) -> None:
    if document.get_formtype() == raw.FORMTYPE_XFA_FULL:
        raise Refusal(
            "unsupported_content",
            "The PDF is a dynamic form (XFA): it has no pages, and only programs of Adobe show "
            "it. Print it to a new PDF there, and send that.",
        )
