"""Looks in a Word or OpenDocument text for what pandoc decides about alone.

Changes and comments are counted; headers and footers, which it leaves out, are there or not.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from worker.converters.document.letters import has_letters

_CHUNK = 256 * 1024
_LONGEST_TAG = 64 * 1024

# With whatever prefix. What has no content marks the end of a paragraph, or a row.
_TAG = re.compile(
    rb"<(?:[\w.-]{1,20}:)?(ins|del|moveTo|comment|insertion|deletion|annotation)"
    rb"(?:\s[^<>]*)?(?<!/)>"
)
_PARTS = {  # ECMA-376 part 1, 11.3; OpenDocument 1.3 part 2, 3.1
    "docx": re.compile(r"word/(?:document\d*|footnotes|endnotes|comments)\.xml"),
    "odt": re.compile(r"content\.xml"),
}
_COMMENTS = ("comment", "annotation")

_ANY_TAG = re.compile(rb"<(?P<end>/?)(?:[\w.-]{1,20}:)?(?P<name>[\w.-]++)[^<>]*+>(?P<text>[^<]*)")
_MARGIN = re.compile(rb"hdr|ftr|(?:header|footer)(?:-left|-first)?")
_MARGINS = {  # ECMA-376 part 1, 17.10; OpenDocument 1.3 part 3, 16.10
    "docx": re.compile(r"word/(?:header|footer)\d*\.xml"),
    "odt": re.compile(r"styles\.xml"),
}
_COMMAND = b"instrText"


def counted(source: Path, source_format: str) -> tuple[int, int]:
    """Return how many tracked changes and comments there are; the file must have been checked."""
    parts = _PARTS.get(source_format)
    if parts is None:
        return 0, 0
    found: Counter[str] = Counter()
    with zipfile.ZipFile(source) as archive:
        for name in filter(parts.fullmatch, archive.namelist()):
            for markup in _markup(archive, name):
                found.update(tag.decode() for tag in _TAG.findall(markup))
    comments = sum(found[name] for name in _COMMENTS)
    return found.total() - comments, comments


def has_margins(source: Path, source_format: str) -> bool:
    """Tell whether there are words in a header or footer; the file must have been checked."""
    parts = _MARGINS.get(source_format)
    if parts is None:
        return False
    with zipfile.ZipFile(source) as archive:
        return any(
            _has_words(_markup(archive, name))
            for name in filter(parts.fullmatch, archive.namelist())
        )


def _has_words(pieces: Iterable[bytes]) -> bool:
    is_inside = False  # where a page's number alone is nothing to be told
    for piece in pieces:
        for tag in _ANY_TAG.finditer(piece):
            if _MARGIN.fullmatch(tag["name"]):
                is_inside = not tag["end"] and not tag[0].endswith(b"/>")
            elif is_inside and tag["name"] != _COMMAND and has_letters(tag["text"]):
                return True
    return False


def _markup(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield a part in pieces that end where no tag is cut."""
    rest = b""
    with archive.open(name) as part:
        while chunk := part.read(_CHUNK):
            whole, _, cut = (rest + chunk).rpartition(b"<")
            yield whole
            rest = b"<" + cut[:_LONGEST_TAG]
    yield rest
