"""The bytes of a zip that stand around its stored files (PKWARE's APPNOTE 6.3.10)."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

# §4.3.7, §4.3.12, §4.3.14, §4.3.15, §4.3.16
_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END_64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64 = struct.Struct("<4sIQI")
_END = struct.Struct("<4s4H2IH")

_UTF8 = 1 << 11  # §4.4.4: names are UTF-8
_PLAIN, _ZIP64 = 10, 45  # §4.4.3: what a reader has to be able to do
_UNIX = 3 << 8  # §4.4.2: the attributes are those of Unix
_REGULAR = 0o100644 << 16
_MOST_32 = 0xFFFFFFFF  # which itself says: look into the fields of 64 bits


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file in the zip. `name` has no folder in it."""

    name: str
    size: int
    modified: datetime


@dataclass(frozen=True, kw_only=True)
class Placed:
    """An entry at its offset, with the CRC-32 of its bytes."""

    entry: Entry
    offset: int
    crc: int


def local_header(entry: Entry, *, crc: int) -> bytes:
    """Return what stands before the bytes of a file.

    It has the checksum already, so nothing stands behind them: Archive Utility, which opens zips
    on a Mac, and whatever reads a zip from a pipe, cannot do with a stored file of unknown length.
    """
    name, is_large = entry.name.encode(), entry.size >= _MOST_32
    extra = _zip64([entry.size, entry.size] if is_large else []) + _unix_time(entry)
    size = min(entry.size, _MOST_32)
    needs = _ZIP64 if is_large else _PLAIN
    head = (b"PK\3\4", needs, _UTF8, 0, *_dos_time(entry), crc, size, size, len(name), len(extra))
    return _LOCAL.pack(*head) + name + extra


def ending(placed: Sequence[Placed], *, offset: int) -> bytes:
    """Return what stands behind all files: the directory, which begins at `offset`, and its end.

    There are fewer than 65,535 of them.
    """
    directory = b"".join(map(_directory_entry, placed))
    return directory + _end(len(placed), size=len(directory), offset=offset)


def _directory_entry(placed: Placed) -> bytes:
    entry = placed.entry
    name, size = entry.name.encode(), min(entry.size, _MOST_32)
    large = [entry.size, entry.size] if size == _MOST_32 else []
    far = [placed.offset] if placed.offset >= _MOST_32 else []
    extra = _zip64(large + far) + _unix_time(entry)
    needs = _ZIP64 if large or far else _PLAIN
    about = (_UNIX | needs, needs, _UTF8, 0, *_dos_time(entry), placed.crc, size, size)
    lengths = (len(name), len(extra), 0)
    where = (0, 0, _REGULAR, min(placed.offset, _MOST_32))
    return _CENTRAL.pack(b"PK\1\2", *about, *lengths, *where) + name + extra


def _end(count: int, *, size: int, offset: int) -> bytes:
    near = min(offset, _MOST_32)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, size, near, 0)
    if near < _MOST_32:
        return end
    rest = _END_64.size - 12  # without the signature and this length itself
    made = (_UNIX | _ZIP64, _ZIP64, 0, 0, count, count, size, offset)
    large = _END_64.pack(b"PK\6\6", rest, *made)
    return large + _LOCATOR_64.pack(b"PK\6\7", 0, offset + size, 1) + end


def _zip64(numbers: Sequence[int]) -> bytes:
    """Return the extra field of what does not fit elsewhere (§4.5.3)."""
    if not numbers:
        return b""
    return struct.pack(f"<2H{len(numbers)}Q", 1, 8 * len(numbers), *numbers)


def _unix_time(entry: Entry) -> bytes:
    """Return the extra field of the time in UTC; the other one says no zone."""
    return struct.pack("<2HBI", 0x5455, 5, 1, int(entry.modified.timestamp()))


def _dos_time(entry: Entry) -> tuple[int, int]:
    """Return time and date as §4.4.6 has them, in steps of two seconds since 1980."""
    at = entry.modified.astimezone(UTC)
    time = at.hour << 11 | at.minute << 5 | at.second // 2
    return time, (at.year - 1980) << 9 | at.month << 5 | at.day
