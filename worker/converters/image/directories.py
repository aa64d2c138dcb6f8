"""The images of a TIFF: a chain of directories, of which each says where the next one is."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_KIND = 254  # NewSubfileType (TIFF 6.0, section 8): tags are sorted, and none has a lower number
_REDUCED, _MASK = 1, 4
_SHORT = 3
_MOST = 65_535  # of pages with all their small copies


@dataclass(frozen=True)
class _Layout:
    """How the numbers are written that begin a directory, make up an entry and lead onwards."""

    order: str
    count: str
    entry: str
    link: str

    def numbers(self, file: IO[bytes], which: str) -> tuple[Any, ...]:
        """Read these; raise struct.error where the file ends before them."""
        layout = self.order + which
        return struct.unpack(layout, file.read(struct.calcsize(layout)))


def pages(source: Path) -> Iterator[int]:
    """Yield which of the images are pages: small copies and masks are none.

    Nothing but the chain is read, so that what the pixels are like is left to their reader.
    """
    with source.open("rb") as file:
        layout = _layout(file.read(4))
        if layout.link == "Q":
            file.seek(8)
        [next_one] = layout.numbers(file, layout.link)
        seen: set[int] = set()
        while next_one and next_one not in seen:
            if len(seen) == _MOST:
                raise ValueError("the chain is longer than any that makes sense")
            if not _kind(file, next_one, layout) & (_REDUCED | _MASK):
                yield len(seen)
            seen.add(next_one)
            next_one = _after(file, next_one, layout)


def _layout(head: bytes) -> _Layout:
    order = {b"II": "<", b"MM": ">"}[head[:2]]
    version = int.from_bytes(head[2:], "little" if order == "<" else "big")
    return {42: _Layout(order, "H", "HHI4s", "I"), 43: _Layout(order, "Q", "HHQ8s", "Q")}[version]


def _kind(file: IO[bytes], at: int, layout: _Layout) -> int:
    file.seek(at + struct.calcsize(layout.order + layout.count))
    tag, kind, _, value = layout.numbers(file, layout.entry)
    if tag != _KIND:
        return 0
    [use] = struct.unpack_from(layout.order + ("H" if kind == _SHORT else "I"), value)
    return int(use)


def _after(file: IO[bytes], at: int, layout: _Layout) -> int:
    file.seek(at)
    [count] = layout.numbers(file, layout.count)
    file.seek(count * struct.calcsize(layout.order + layout.entry), 1)
    [next_one] = layout.numbers(file, layout.link)
    return int(next_one)
