"""Looks at what LibreOffice made: the right kind of file, with something in it, to its end."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import pypdfium2

from worker.converters.compound import Broken, Compound
from worker.converters.office import richtext
from worker.converters.refusal import Refusal

_MAIN = {
    "docx": "word/document.xml",
    "xlsx": "xl/workbook.xml",
    "pptx": "ppt/presentation.xml",
    "odt": "content.xml",
    "ods": "content.xml",
    "odp": "content.xml",
}


_END = b"%%EOF"


class BadResult(Exception):
    """The result is not what was asked for, though the program ended well."""


def look(made: Path, target_format: str, *, max_pages: int) -> dict[str, Any]:
    """Return the facts about a good result; raise BadResult, or Refusal for too many pages."""
    match target_format:
        case "pdf":
            return {"pages": _allowed(count_pages(made), max_pages)}
        case "doc" | "xls" | "ppt":
            _expect(_is_compound(made), target_format)
        case "rtf":
            _expect(_is_rich_text(made), target_format)
        case _:
            _expect(_has_main_part(made, _MAIN[target_format]), target_format)
    return {}


def count_pages(made: Path) -> int:
    """Return how many pages a PDF has; raise BadResult if it is none, or not whole."""
    if _END not in _tail(made):  # which would be mended and shown, without some pages
        raise BadResult("LibreOffice made a PDF without its end")
    try:
        with pypdfium2.PdfDocument(made) as document:
            return len(document)
    except pypdfium2.PdfiumError as error:
        raise BadResult(f"LibreOffice made no PDF that can be read: {error}") from error


def _allowed(count: int, most: int) -> int:
    if count > most:
        raise Refusal(
            "too_many_pages",
            f"The document has more than {most:,} pages, the most that this service converts "
            "(ROWMILL_MAX_PAGES).",
        )
    return count


def _has_main_part(made: Path, name: str) -> bool:
    try:
        with zipfile.ZipFile(made) as archive:
            return name in archive.namelist() and archive.testzip() is None
    except (zipfile.BadZipFile, zlib.error):
        return False


def _is_compound(made: Path) -> bool:
    with made.open("rb") as file:
        try:
            Compound(file).check()
        except Broken:
            return False
    return True


def _is_rich_text(made: Path) -> bool:
    try:
        richtext.look(made)
    except Refusal:
        return False
    return True


def _tail(made: Path) -> bytes:
    with made.open("rb") as file:
        file.seek(max(0, made.stat().st_size - 1024))
        return file.read()


def _expect(is_good: bool, target_format: str) -> None:
    if not is_good:
        raise BadResult(f"LibreOffice made something that is no whole {target_format}")
