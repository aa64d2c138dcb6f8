"""ZIP and what is built on it: OOXML, OpenDocument, EPUB, told by the members that are visible."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from app.formats.recognise.window import Window, little

_MEMBERS = 4000
_TRIES = 16
_TYPES = {
    b"application/epub+zip": "epub",
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/vnd.oasis.opendocument.graphics": "odg",
}
_PARTS = {  # OOXML: the part that each kind must have
    b"word/document.xml": "docx",
    b"xl/workbook.xml": "xlsx",
    b"xl/workbook.bin": "xlsb",
    b"ppt/presentation.xml": "pptx",
    b"visio/document.xml": "visio",
}
_FOLDERS = {b"word": "docx", b"xl": "xlsx", b"ppt": "pptx", b"visio": "visio"}


def zipped(window: Window) -> str | None:
    """Return the format that the members show; "zip" when they show nothing better.

    The list at the end counts when it is visible; headers before it may belong to a workbook
    inside a presentation, so the first that says something is believed.
    """
    if window.head.startswith((b"PK\5\6", b"PK\7\x08PK\3\4")):
        return "zip"
    if not _is_local(window.head):
        return None
    members, complete = _listed_members(window)
    if not complete:
        members = [*_local_members(window.head), *members]
    return _by_declared_type(members) or _by_parts([member.name for member in members]) or "zip"


@dataclass(frozen=True)
class _Member:
    name: bytes
    method: int
    packed: bytes = b""  # what is visible of it; nothing when only the list names it

    def content(self) -> bytes:
        """Return at most the first 4 KiB, unpacked; a bomb gets no further."""
        if self.method == 0:
            return self.packed[:4096]
        try:
            return zlib.decompressobj(-15).decompress(self.packed[:4096], 4096)
        except zlib.error:
            return b""


def _is_local(head: bytes) -> bool:
    return head.startswith(b"PK\3\4") and little(head[4:6]) & 0xFF < 100 and head[26:28] != b"\0\0"


def _local_members(data: bytes) -> Iterator[_Member]:
    """Walk the headers that stand before each member, by their sizes or by search."""
    at = data.find(b"PK\3\4")
    for _ in range(_MEMBERS):
        if at < 0:
            return
        method, size = little(data[at + 8 : at + 10]), little(data[at + 18 : at + 22])
        name_end = at + 30 + little(data[at + 26 : at + 28])
        start = name_end + little(data[at + 28 : at + 30])
        # A size of nothing may mean that it comes only behind the member.
        yield _Member(data[at + 30 : name_end], method, data[start : start + (size or 4096)])
        at = data.find(b"PK\3\4", start + size)


def _listed_members(window: Window) -> tuple[list[_Member], bool]:
    """Return what the list at the end of the archive names, and whether all of it is visible."""
    data = window.tail or (window.head if window.whole else b"")
    end = data.rfind(b"PK\5\6")
    if end < 0:
        return [], False
    start = end - little(data[end + 12 : end + 16])
    if start >= 0 and (entries := _list_between(data, start, end)):
        return [_listed(window, *entry) for entry in entries], True
    at = data.find(b"PK\1\2")
    for _ in range(_TRIES):
        if at < 0:
            break
        if entries := _list_between(data, at, end):
            return [_listed(window, *entry) for entry in entries], False
        at = data.find(b"PK\1\2", at + 4)
    return [], False


def _list_between(data: bytes, at: int, end: int) -> list[tuple[bytes, int]]:
    """Return (name, place) of entries that follow each other exactly from `at` to `end`."""
    entries: list[tuple[bytes, int]] = []
    while at < end and data.startswith(b"PK\1\2", at) and len(entries) < _MEMBERS:
        name, extra, comment = (little(data[at + i : at + i + 2]) for i in (28, 30, 32))
        entries.append((data[at + 46 : at + 46 + name], little(data[at + 42 : at + 46])))
        at += 46 + name + extra + comment
    return entries if at == end or len(entries) == _MEMBERS else []


def _listed(window: Window, name: bytes, place: int) -> _Member:
    """Look up a member that says what the archive is; for others the name is enough."""
    if name not in (b"mimetype", b"META-INF/manifest.xml"):
        return _Member(name, 0)
    return next(_local_members(window.at(place, 5000)), _Member(name, 0))


def _by_declared_type(members: list[_Member]) -> str | None:
    """Read `mimetype`, or the manifest of an OpenDocument file that lacks it."""
    for member in members:
        if member.name == b"mimetype" and (name := _of_type(member.content().strip())):
            return name
    for member in members:
        if member.name == b"META-INF/manifest.xml":
            for part in member.content().split(b'media-type="')[1:]:
                if name := _of_type(part.split(b'"')[0]):
                    return name
    return None


def _of_type(media_type: bytes) -> str | None:
    return _TYPES.get(media_type.removesuffix(b"-template"))


def _by_parts(names: list[bytes]) -> str | None:
    for name in names:
        if name in _PARTS:
            return _PARTS[name]
        if name.endswith(b".iwa") or name == b"Index.zip":
            return "iwork"
    if b"[Content_Types].xml" in names or b"_rels/.rels" in names:
        folders = (name.split(b"/", maxsplit=1)[0] for name in names if b"/" in name)
        return next((_FOLDERS[folder] for folder in folders if folder in _FOLDERS), None)
    return None
