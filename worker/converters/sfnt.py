"""The tables of a TrueType or OpenType font (ISO/IEC 14496-22, 4.3), and the numbers in them."""

import struct
from typing import NamedTuple


class Place(NamedTuple):
    """Where a table lies in the file, in bytes."""

    start: int
    length: int


def tables(font: bytes, index: int = 0) -> dict[bytes, Place]:
    """Return them by their tags, of the font with this index in a collection.

    Raise struct.error where the file ends before them.
    """
    head = long(font, 12 + 4 * index) if font.startswith(b"ttcf") else 0
    records = range(head + 12, head + 12 + 16 * short(font, head + 4), 16)
    return {font[at : at + 4]: Place(long(font, at + 8), long(font, at + 12)) for at in records}


def short(font: bytes, at: int) -> int:
    (number,) = struct.unpack_from(">H", font, at)
    return int(number)


def long(font: bytes, at: int) -> int:
    (number,) = struct.unpack_from(">I", font, at)
    return int(number)
