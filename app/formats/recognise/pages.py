"""PDF, which may begin anywhere in the first 1024 bytes, and PostScript."""

import re

from app.formats.recognise.window import Window

_PDF = re.compile(rb"%PDF-\d\.\d")
_PDF_BODY = re.compile(rb"\d obj\b|startxref|%%EOF")


def page(window: Window) -> str | None:
    """Return pdf, ps or eps."""
    head = window.head
    found = _PDF.search(head, 0, 1024 + 8)
    if found and (not found.start() or _has_body(window)):
        return "pdf"
    if head.startswith((b"%!PS-Adobe-", b"\x04%!PS-Adobe-")):
        return "eps" if b" EPSF-" in head[:32] else "ps"
    return "ps" if head.startswith(b"%!PS") else None


def _has_body(window: Window) -> bool:
    """Whether a PDF follows, and not a text that only mentions how one begins."""
    return bool(_PDF_BODY.search(window.head) or _PDF_BODY.search(window.tail))
