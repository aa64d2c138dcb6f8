"""Finds the characters of a document that no font of this machine can show."""

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from worker.converters.sfnt import long, short, tables

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
    if cmap := tables(font, index).get(b"cmap"):
        at = cmap.start
        for table in range(short(font, at + 2)):
            yield from _subtable(font, at + long(font, at + 8 + 8 * table))


def _subtable(font: bytes, at: int) -> Iterator[_Range]:
    match short(font, at):
        case 4:
            bytes_each = short(font, at + 6)  # twice the number of segments
            for place in range(at + 14, at + 14 + bytes_each, 2):
                yield short(font, place + 2 + bytes_each), short(font, place)
        case 12:
            for place in range(at + 16, at + 16 + 12 * long(font, at + 12), 12):
                yield long(font, place), long(font, place + 4)
