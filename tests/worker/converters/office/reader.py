"""The text of a result, read by programs that it was not made with."""

import re
import zipfile
from pathlib import Path

import pypdfium2
from python_calamine import CalamineWorkbook

_PARTS = {
    "docx": r"word/document\.xml",
    "pptx": r"ppt/slides/slide\d+\.xml",
    "odt": r"content\.xml",
    "odp": r"content\.xml",
}


def text_of(path: Path, name: str) -> str:
    """Return what is written in a document."""
    match name:
        case "pdf":
            return _of_pdf(path)
        case "xlsx" | "xls" | "ods":
            rows = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
            return "\n".join(str(cell) for row in rows for cell in row)
        case "doc" | "ppt":
            return _of_compound(path.read_bytes())
        case "rtf":
            return _of_rtf(path.read_text("ascii"))
        case _:
            return _of_zipped(path, _PARTS[name])


def _of_pdf(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _of_zipped(path: Path, pattern: str) -> str:
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
        return "".join(re.sub("<[^>]*>", "", archive.read(part).decode()) for part in parts)


def _of_compound(data: bytes) -> str:
    """Word and PowerPoint 97 keep text as UTF-16 or as one byte for each character."""
    return (
        data.decode("utf-16-le", "ignore")
        + data[1:].decode("utf-16-le", "ignore")
        + (data.decode("cp1252", "replace"))
    )


def _of_rtf(text: str) -> str:
    r"""Read what LibreOffice writes: characters as \uN with a stand-in after each, or as \'hh."""
    text = re.sub(r"\\u(\d+)(\\'[0-9a-f]{2}|\?)", lambda found: chr(int(found[1])), text)
    text = re.sub(r"\\'([0-9a-f]{2})", lambda found: bytes.fromhex(found[1]).decode("cp1252"), text)
    return re.sub(r"\\[a-z]+-?\d* ?|[{}]|\r?\n", "", text)
