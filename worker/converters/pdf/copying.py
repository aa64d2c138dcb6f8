"""Pages become another PDF: without a password, repaired, and with nothing lost unsaid."""

from typing import Any

import pikepdf
from pikepdf import Dictionary

from worker.converters.pdf import losses, qpdf
from worker.converters.pdf.choice import only
from worker.converters.pdf.opening import check_header
from worker.converters.pdf.progress import DONE, OPENED
from worker.converters.pdf.refusal import blamed_on, damaged
from worker.converters.pdf.request import Request
from worker.converters.pdf.selection import chosen

_SIGNED = 1  # of SigFlags: SignaturesExist (ISO 32000-2, table 225)


def write(request: Request) -> dict[str, Any]:
    """Write the target with the chosen pages; return its facts."""
    check_header(request.source)
    with qpdf.opened(request.source, request.wish.password) as found:
        pdf = found.pdf
        indices = chosen(request.wish.pages, len(pdf.pages), request.limits)
        facts: dict[str, Any] = {"pages": len(indices), "of_pages": len(pdf.pages)}
        request.meter.reach(OPENED, "copying")
        with blamed_on(damaged()):
            lost = losses.notes(pdf, indices) if found.is_damaged else []
            unneeded = qpdf.unneeded(request.wish.password, was_locked=found.was_locked)
            notes = [*lost, *_notes(pdf), *unneeded]
            if indices == list(range(len(pdf.pages))):
                _save(pdf, pdf.pdf_version, request)
            else:
                copy, left_out = only(pdf, indices)
                _save(copy, pdf.pdf_version, request)
                notes += left_out
        return {**facts, "notes": notes}


def _save(pdf: pikepdf.Pdf, version: str, request: Request) -> None:
    def tell(percent: int) -> None:
        request.meter.reach(OPENED + (DONE - OPENED) * percent / 100, "writing")

    with request.target.open("wb") as file:
        pdf.save(file, min_version=version, encryption=False, progress=tell)


def _notes(pdf: pikepdf.Pdf) -> list[str]:
    notes = []
    if pdf.is_encrypted:
        notes.append(
            "The document was encrypted, with rules about printing, copying or changing it; "
            "the copy is not."
        )
    if _is_signed(pdf):
        notes.append("The digital signature no longer holds: it was for the file as it was.")
    return notes


def _is_signed(pdf: pikepdf.Pdf) -> bool:
    form = pdf.Root.get("/AcroForm")
    flags = form.get("/SigFlags") if isinstance(form, Dictionary) else None
    return isinstance(flags, int) and bool(flags & _SIGNED)
