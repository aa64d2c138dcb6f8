"""Finds the characters of a document that no font of this machine can show."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

# What the fonts inside of typst lack: scripts of South and East Asia, Ethiopic, emoji.
_RARE = re.compile(
    "[\u0980-\u0eff\u1000-\u109f\u1200-\u137f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U0001f300-\U0001faff\U00020000-\U0003ffff]"
)
_Range = tuple[int, int]


def unshowable(text: str, fonts: list[tuple[Path, int]]) -> set[str]:
    """Return those characters of `text` for which neither these fonts nor typst's own have a shape.

    A font is a file and its place in it (TrueType collections hold several).
    """
    missing = {ord(character) for character in set(_RARE.findall(text))}
    for path, index in fonts:
        if not missing:
            break
        missing -= _covered(path, index, missing)
    return set(map(chr, missing))


def _covered(path: Path, index: int, wanted: set[int]) -> set[int]:
    try:
        ranges = list(_ranges(path.read_bytes(), index))
    except (OSError, struct.error):
        return set()  # typst could not use it either
    return {one for one in wanted if any(first <= one <= last for first, last in ranges)}


def _ranges(font: bytes, index: int) -> Iterator[_Range]:
    """Yield the ranges of characters in the cmap table (ISO/IEC 14496-22, 5.2.1)."""
    start = _long(font, 12 + 4 * index) if font.startswith(b"ttcf") else 0
    for number in range(_short(font, start + 4)):
        record = start + 12 + 16 * number
        if font[record : record + 4] == b"cmap":
            at = _long(font, record + 8)
            for table in range(_short(font, at + 2)):
                yield from _subtable(font, at + _long(font, at + 8 + 8 * table))


def _subtable(font: bytes, at: int) -> Iterator[_Range]:
    match _short(font, at):
        case 4:
            bytes_each = _short(font, at + 6)  # twice the number of segments
            for place in range(at + 14, at + 14 + bytes_each, 2):
                yield _short(font, place + 2 + bytes_each), _short(font, place)
        case 12:
            for place in range(at + 16, at + 16 + 12 * _long(font, at + 12), 12):
                yield _long(font, place), _long(font, place + 4)


def _short(font: bytes, at: int) -> int:
    (number,) = struct.unpack_from(">H", font, at)
    return int(number)


def _long(font: bytes, at: int) -> int:
    (number,) = struct.unpack_from(">I", font, at)
    return int(number)
