"""What a converted document says and shows, read by other means than it was made with."""

import html
import io
import json
import re
import zipfile

import pypdfium2

_PARTS = {
    "docx": ("word/document.xml", "word/footnotes.xml"),
    "odt": ("content.xml",),
}
_PICTURES = re.compile(r"\.(png|jpe?g|gif|svg)$")


def text_of(content: bytes, made: str) -> str:
    """Return all text, with one space for each run of spaces and line ends."""
    return " ".join(_text(content, made).split())


def pictures_in(content: bytes, made: str) -> int:
    """Count the pictures that a file holds itself."""
    if content.startswith(b"PK"):
        return sum(
            bool(_PICTURES.search(name)) for name in zipfile.ZipFile(_file(content)).namelist()
        )
    if made == "pdf":
        return _pictures_on_pages(content)
    marks = {"html": rb"data:image/", "ipynb": rb'"image/png"', "rtf": rb"\\pngblip"}
    return len(re.findall(marks.get(made, rb"(?!)"), content))


def document_in_zip(content: bytes) -> tuple[str, dict[str, bytes]]:
    """Return the text of a ZIP with text and pictures, and the pictures by their names."""
    with zipfile.ZipFile(_file(content)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    (name,) = [name for name in members if "/" not in name]
    return members.pop(name).decode(), members


def _text(content: bytes, made: str) -> str:
    if content.startswith(b"PK") and made not in ("docx", "odt", "epub"):
        return document_in_zip(content)[0]
    if made == "pdf":
        return _text_on_pages(content)
    if made == "ipynb":
        return "\n".join("".join(cell["source"]) for cell in json.loads(content)["cells"])
    if made == "rtf":
        return re.sub(r"\\u(-?\d+) ?\?", lambda found: chr(int(found[1]) % 65536), content.decode())
    if made in ("docx", "odt", "epub"):
        return _text_in_parts(content, made)
    text = content.decode()
    return html.unescape(re.sub(r"<[^>]*>", " ", text)) if made == "html" else text


def _text_in_parts(content: bytes, made: str) -> str:
    with zipfile.ZipFile(_file(content)) as packed:
        names = _PARTS.get(made) or [n for n in packed.namelist() if n.endswith(".xhtml")]
        text = " ".join(packed.read(name).decode() for name in names)
    return html.unescape(
        re.sub(r"<[^>]*>", " ", re.sub(r"</?(w:r|w:t|text:span|text:s)\b[^>]*>", "", text))
    )


def _text_on_pages(content: bytes) -> str:
    document = pypdfium2.PdfDocument(content)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def _pictures_on_pages(content: bytes) -> int:
    document = pypdfium2.PdfDocument(content)
    kind = pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
    return sum(1 for page in document for _ in page.get_objects(filter=[kind]))


def _file(content: bytes) -> io.BytesIO:
    return io.BytesIO(content)
