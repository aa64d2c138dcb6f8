"""Pages become plain text: what is printed, filled in and stamped on them, in reading order."""

import re
from typing import Any

import pypdfium2
from pypdfium2 import raw

from worker.converters.pdf.opening import Opened
from worker.converters.pdf.pages import loaded
from worker.converters.pdf.request import Request
from worker.converters.pdf.selection import counted, named
from worker.converters.refusal import Refusal

PAGE_BREAK = "\f"  # between pages, as in the text that printers read

# PDFium writes this for a hyphen at the end of a line, and leaves the line's end out.
_HYPHENS = re.compile("[\x02\ufffe]")
_LINE_ENDS = re.compile("\r\n?|\n|\u2028|\u2029")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufeff\ufffe\uffff]")


def write(found: Opened, indices: list[int], request: Request) -> dict[str, Any]:
    """Write the target in UTF-8; raise Refusal when no page has any text."""
    document = found.document
    characters, without = 0, []
    with request.target.open("w", encoding="utf-8", newline="\n") as file:
        for place, index in enumerate(indices):
            tell = request.meter.page(place, len(indices))
            text = cleaned(_text_of(document, index))
            if not text:
                without.append(index)
            characters += len(text)
            file.write((PAGE_BREAK if place else "") + text)
            tell(1.0)
    if not characters:
        raise _no_text(document, indices)
    return {"characters": characters, "notes": _notes(document, without)}


def cleaned(text: str) -> str:
    """Return lines that end in a line feed, without control characters or space at their ends."""
    lines = _LINE_ENDS.split(_HYPHENS.sub("-\n", text))
    text = "\n".join(_CONTROLS.sub("", line).rstrip() for line in lines).strip("\n")
    return text + "\n" if text else ""


def _text_of(document: pypdfium2.PdfDocument, index: int) -> str:
    _print_what_is_on_top(document, index)
    with loaded(document, index) as page:
        # The other way to read it, get_text_range, knows no characters beyond 16 bits.
        text: str = page.get_textpage().get_text_bounded()
        return text


def _print_what_is_on_top(document: pypdfium2.PdfDocument, index: int) -> None:
    """Make form fields and annotations part of the page: only then PDFium takes them for text."""
    with loaded(document, index) as page:
        if raw.FPDFPage_GetAnnotCount(page):
            raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)


def _no_text(document: pypdfium2.PdfDocument, indices: list[int]) -> Refusal:
    pictured = [index for index in indices if _has_picture(document, index)]
    if len(indices) > 1:
        return Refusal(
            "no_text",
            f"The {counted(len(indices))} have no text"
            f"{': they are scans, pictures of what was printed' if pictured else ''}.",
        )
    return Refusal(
        "no_text",
        "The page has no text"
        f"{': it is a scan, a picture of what was printed' if pictured else ''}.",
    )


def _notes(document: pypdfium2.PdfDocument, without: list[int]) -> list[str]:
    scans = [index for index in without if _has_picture(document, index)]
    if not scans:
        return []
    verb = "is a scan" if len(scans) == 1 else "are scans"
    return [f"{named(scans).capitalize()} {verb} without text, and left empty."]


def _has_picture(document: pypdfium2.PdfDocument, index: int) -> bool:
    with loaded(document, index) as page:
        return any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
