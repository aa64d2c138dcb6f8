"""Counts in a Word or OpenDocument text what pandoc decides about alone: changes and comments."""

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

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


def _markup(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield a part in pieces that end where no tag is cut."""
    rest = b""
    with archive.open(name) as part:
        while chunk := part.read(_CHUNK):
            whole, _, cut = (rest + chunk).rpartition(b"<")
            yield whole
            rest = b"<" + cut[:_LONGEST_TAG]
    yield rest
