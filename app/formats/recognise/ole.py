"""Compound files ([MS-CFB]): Office 97-2003, Outlook, and Office documents under a password."""

from collections.abc import Iterator
from dataclasses import dataclass

from app.formats.recognise.window import Window, little

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END = 0xFFFFFFFA  # sector and entry numbers from here on have special meanings
_STREAMS = {
    "EncryptedPackage": "encrypted-office",
    "WordDocument": "doc",
    "PowerPoint Document": "ppt",
    "Workbook": "xls",
    "Book": "xls",
    "VisioDocument": "visio",
    "__properties_version1.0": "msg",
}
_FIRST_SECTORS = {b"\xec\xa5": "doc", b"\x09\x08": "xls"}


def ole(window: Window) -> str | None:
    """Return the format that the streams of the root folder show, or "ole" if none is visible.

    Streams deeper down belong to embedded documents: a workbook with a Word object is a workbook.
    """
    if not window.head.startswith(_MAGIC):
        return None
    names = set(_root_names(_Compound(window)))
    for stream, name in _STREAMS.items():
        if stream in names:
            return name
    return _FIRST_SECTORS.get(window.head[512:514], "ole")


@dataclass(frozen=True)
class _Compound:
    window: Window

    @property
    def sector_bytes(self) -> int:
        return 4096 if little(self.window.head[30:32]) == 12 else 512

    def sector(self, number: int) -> bytes:
        return self.window.at((number + 1) * self.sector_bytes, self.sector_bytes)

    def following(self, number: int) -> int:
        """Return the next sector of a chain; the header lists the first 109 parts of that map."""
        part, index = divmod(number, self.sector_bytes // 4)
        place = little(self.window.head[76 + 4 * part : 80 + 4 * part]) if part < 109 else _END
        mapped = self.sector(place)[4 * index : 4 * index + 4] if place < _END else b""
        return little(mapped) if mapped else _END

    def directory(self) -> list[bytes]:
        """Return the visible entries of the directory, 128 bytes each, in their order."""
        entries: list[bytes] = []
        number = little(self.window.head[48:52])
        for _ in range(64):
            data = self.sector(number)
            if number >= _END or not data:
                break
            entries += (data[at : at + 128] for at in range(0, len(data) - 127, 128))
            number = self.following(number)
        return entries


def _root_names(compound: _Compound) -> Iterator[str]:
    """Walk the tree of the entries that lie directly in the root folder."""
    entries = compound.directory()
    waiting = [little(entries[0][76:80])] if entries else []
    seen: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in seen or number >= len(entries):
            continue
        seen.add(number)
        entry = entries[number]
        waiting += (little(entry[68:72]), little(entry[72:76]))
        yield entry[: max(0, min(little(entry[64:66]), 64) - 2)].decode("utf-16-le", "replace")
