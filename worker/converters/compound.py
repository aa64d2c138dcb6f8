"""Reads the streams of a compound file ([MS-CFB]), and notices when a part of one is missing."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SPECIAL = 0xFFFFFFFA  # sector and entry numbers from here on have special meanings
_END = 0xFFFFFFFE
_NONE = 0xFFFFFFFF
_SMALL = 4096  # streams below this size lie in the sectors of the "mini stream"
_MINI_BYTES = 64
_FOLDER, _STREAM, _ROOT = 1, 2, 5


class Broken(Exception):
    """The file does not hold together; the text says how, in words for a person."""


@dataclass(frozen=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class Compound:
    """A compound file; `streams` and `folders` are those of its root folder, by name."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._read_tables()

    def read(self, name: str, length: int | None = None) -> bytes:
        """Return the beginning of a stream of the root folder, or all of it; Broken if it lacks."""
        entry = self.streams.get(name)
        if entry is None:
            raise Broken(f"it has no part called {name}")
        wanted = entry.size if length is None else min(length, entry.size)
        return b"".join(self._pieces(entry, wanted))[:wanted]

    def check(self) -> None:
        """Raise Broken unless every stream is there from its first sector to its last."""
        for entry in self._entries:
            if entry.kind == _STREAM and entry.size:
                self._places(entry, entry.size)

    def _read_tables(self) -> None:
        self._size = self._file.seek(0, 2)
        head = self._at(0, 512)
        if not head.startswith(MAGIC):
            raise Broken("it does not begin like one")
        shift = _little(head[30:32])
        if shift not in (9, 12):
            raise Broken("its header makes no sense")
        self._sector_bytes = 1 << shift
        self._next = self._table(head)
        self._entries = [*self._directory(_little(head[48:52]), is_long=shift == 12)]
        if not self._entries or self._entries[0].kind != _ROOT:
            raise Broken("its list of parts is missing")
        self._mini_next = self._numbers(self._follow(_little(head[60:64]), self._next))
        self._mini = self._follow(self._entries[0].start, self._next)
        root = list(self._in_root())
        self.streams = {entry.name: entry for entry in root if entry.kind == _STREAM}
        self.folders = {entry.name for entry in root if entry.kind == _FOLDER}

    def _table(self, head: bytes) -> "array[int]":
        """Read the map that says of each sector which one follows it (2.3, 2.5)."""
        places = [place for place in _words(head[76:512]) if place < _SPECIAL]
        more, seen = _little(head[68:72]), 0
        while more < _SPECIAL and seen * self._sector_bytes <= self._size:
            words = _words(self._sector(more))
            places += (place for place in words[:-1] if place < _SPECIAL)
            more, seen = words[-1], seen + 1
        return self._numbers(places)

    def _numbers(self, sectors: list[int]) -> "array[int]":
        numbers = array("I")
        if len(sectors) * self._sector_bytes > self._size:
            raise Broken("its map of sectors is larger than the file")
        for sector in sectors:
            numbers.extend(_words(self._sector(sector)))
        return numbers

    def _follow(self, start: int, table: "array[int]", most: int | None = None) -> list[int]:
        """Return a chain of sectors, `most` of them at the most; Broken where it breaks off."""
        chain: list[int] = []
        number = start
        while number != _END and (most is None or len(chain) < most):
            if number == _NONE and not chain:
                break  # how some programs write that there is nothing
            if number >= len(table) or len(chain) > len(table):
                raise Broken("one of its parts breaks off")
            chain.append(number)
            number = table[number]
        return chain

    def _directory(self, start: int, *, is_long: bool) -> Iterator[_Entry]:
        for sector in self._follow(start, self._next):
            data = self._sector(sector)
            for at in range(0, len(data) - 127, 128):
                yield _entry(data[at : at + 128], is_long=is_long)

    def _in_root(self) -> Iterator[_Entry]:
        """Walk the tree of the entries that lie directly in the root folder (2.6.4)."""
        waiting, seen = [self._entries[0].child], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen or number >= len(self._entries):
                continue
            seen.add(number)
            entry = self._entries[number]
            waiting += (entry.left, entry.right)
            yield entry

    def _pieces(self, entry: _Entry, length: int) -> Iterator[bytes]:
        unit = self._unit(entry)
        for place in self._places(entry, length):
            self._file.seek(place)
            yield self._file.read(unit)

    def _places(self, entry: _Entry, length: int) -> list[int]:
        """Return where the parts of a stream's first bytes lie; Broken unless all are in the file.

        The last part may end with the file, for what follows there is not used.
        """
        unit = self._unit(entry)
        count = -(-length // unit)
        table = self._next if unit == self._sector_bytes else self._mini_next
        places = [self._place(number, unit) for number in self._follow(entry.start, table, count)]
        if len(places) < count or max(places[:-1], default=0) + unit > self._size:
            raise Broken("one of its parts breaks off")
        if places and places[-1] + length - (count - 1) * unit > self._size:
            raise Broken("it ends early")
        return places

    def _unit(self, entry: _Entry) -> int:
        return _MINI_BYTES if entry.size < _SMALL else self._sector_bytes

    def _place(self, number: int, unit: int) -> int:
        if unit == self._sector_bytes:
            return (number + 1) * self._sector_bytes
        sector, part = divmod(number * _MINI_BYTES, self._sector_bytes)
        if sector >= len(self._mini):
            raise Broken("one of its parts breaks off")
        return (self._mini[sector] + 1) * self._sector_bytes + part

    def _sector(self, number: int) -> bytes:
        return self._at((number + 1) * self._sector_bytes, self._sector_bytes)

    def _at(self, place: int, length: int) -> bytes:
        self._file.seek(place)
        data = self._file.read(length)
        if len(data) < length:
            raise Broken("it ends early")
        return data


def _entry(data: bytes, *, is_long: bool) -> _Entry:
    name = data[: max(0, min(_little(data[64:66]), 64) - 2)].decode("utf-16-le", "replace")
    left, right, child = _words(data[68:80])
    size = _little(data[120:128]) if is_long else _little(data[120:124])
    return _Entry(name, data[66], left, right, child, _little(data[116:120]), size)


def _words(data: bytes) -> list[int]:
    return [_little(data[at : at + 4]) for at in range(0, len(data) - 3, 4)]


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")
