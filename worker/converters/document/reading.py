"""Makes sure that a source is what it should be before pandoc reads it, and readable for it."""

import codecs
import html
import re
from collections.abc import Iterator
from pathlib import Path

from app.formats.encodings import NAMES, codec, named
from worker.converters import encoding, packed
from worker.converters.document import remarks, richtext
from worker.converters.document.locked import is_locked
from worker.converters.document.request import Report, Request
from worker.converters.refusal import Refusal

PACKED = frozenset({"docx", "odt", "epub"})
_CHANGED = frozenset({"rst"})  # by `elsewhere`

_DECLARED = {
    "html": re.compile(
        rb"<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w-]{2,20})",
        re.IGNORECASE,
    ),
    "tex": re.compile(rb"^[^%\n]{0,200}?\\usepackage\[([\w-]{2,20})\]\{inputenc\}", re.MULTILINE),
}
_BORNE = b"\x0b\x7f"  # by pandoc
_ALIGNED = re.compile(r"\n(?: {2,}|\t)\S|\S(?: {3,}|\t)\S")
_UNSPEAKABLE = {"org": re.compile(_ALIGNED.pattern + r"|[\\*/_+=~$|<\[#^]")}  # it has no escapes


def readable(request: Request, report: Report) -> Path:
    """Return the file that pandoc may read: the source itself, or its text in UTF-8."""
    if request.source_format in PACKED:
        _unpackable(request)
        report.notes += remarks.on_changes(request)
        return request.source
    if request.source_format == "rtf":
        return _rich_text(request, report)
    text = _in_utf8(request, report)
    _look(text)
    if request.source_format == "txt":
        return _as_page(text, _UNSPEAKABLE.get(request.target_format, _ALIGNED))
    return text


def _unpackable(request: Request) -> None:
    if refused := packed.check(request.source, limits=request.limits):
        raise Refusal(refused.code, str(refused.detail))
    if is_locked(request.source):
        raise Refusal(
            "password_required",
            "The document is locked with a password; save a copy without one and upload that.",
        )


def _in_utf8(request: Request, report: Report) -> Path:
    """Return the source itself if it is UTF-8 and stays as it is, and a copy that is otherwise."""
    name = _encoding(request)
    text = request.target.with_name(f"text.{request.source_format}")
    try:
        if name == "utf-8" and request.source_format not in _CHANGED and not _is_marked(request):
            encoding.read_through(request.source, encoding=name)
            text = request.source
        else:
            encoding.transcode(request.source, text, encoding=name)
    except UnicodeDecodeError as error:
        raise Refusal(
            "encoding_unknown",
            f"The text begins as {name} but has other bytes further down; "
            "name its encoding in the option encoding.",
        ) from error
    if name != "utf-8":
        report.encoding = name
    return text


def _rich_text(request: Request, report: Report) -> Path:
    """Return a copy in UTF-8: pandoc knows but one code page."""
    text = request.target.with_name("text.rtf")
    named = codec(request.wish.encoding) if request.wish.encoding is not None else None
    try:
        seen = richtext.recode(request.source, text, named=named)
    except richtext.NoRichText as fault:
        _look(request.source)
        raise Refusal(
            "corrupt_input", "The file is damaged, or it is not an RTF document at all."
        ) from fault
    report.notes += remarks.on_rich_text(seen)
    if len(seen.codecs) == 1:
        (report.encoding,) = seen.codecs
    return text


def _is_marked(request: Request) -> bool:
    with request.source.open("rb") as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _encoding(request: Request) -> str:
    if request.wish.encoding is not None:
        return codec(request.wish.encoding)
    with request.source.open("rb") as file:
        head = file.read(encoding.HEAD_BYTES)
    found = encoding.detect_in(request.source)
    if found == "utf-8" or (found or "").startswith("utf-"):
        return str(found)
    declared = _declared(head, request.source_format)
    if declared is None and found is None:
        raise _unknown(head)
    return declared or str(found)


def _declared(head: bytes, source_format: str) -> str | None:
    """Return what the text says of itself, if it is an encoding that people may name, too."""
    pattern = _DECLARED.get(source_format)
    said = pattern.search(head[:8192]) if pattern else None
    name = named(said[1].decode("ascii", "replace")) if said else None
    return codec(name) if name in NAMES and not str(name).startswith("utf-") else None


def _unknown(head: bytes) -> Refusal:
    if encoding.has_controls(head, but=_BORNE):
        return Refusal("corrupt_input", "The file is damaged, or it is not a text at all.")
    return Refusal(
        "encoding_unknown",
        "The encoding of the text could not be told; name it in the option encoding, such as "
        "windows-1251, or save the file as UTF-8.",
    )


def _look(text: Path) -> None:
    with text.open("rb") as file:
        head = file.read(encoding.HEAD_BYTES)
    if encoding.has_controls(head, but=_BORNE):  # a named encoding decodes anything
        raise Refusal("corrupt_input", "The file is damaged, or it is not a text at all.")


def _as_page(text: Path, verbatim: re.Pattern[str]) -> Path:
    """Write plain text as HTML that shows just that: paragraphs, or verbatim what matches."""
    page = text.with_name("text.html")
    with page.open("w", encoding="utf-8") as out:
        for paragraph in _paragraphs(text):
            shown = html.escape(paragraph)
            if verbatim.search(paragraph):
                out.write(f"<pre>{shown}</pre>\n")
            else:
                out.write("<p>" + shown.replace("\n", "<br>\n") + "</p>\n")
    return page


def _paragraphs(text: Path) -> Iterator[str]:
    lines: list[str] = []
    with text.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                lines.append(line.rstrip().replace("\f", ""))
            elif lines:
                yield "\n".join(lines)
                lines = []
    if lines:
        yield "\n".join(lines)
