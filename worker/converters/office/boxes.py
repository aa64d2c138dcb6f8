"""Finds characters that LibreOffice drew as boxes into a PDF, for no font had them.

It embeds of a font what it used, renumbered from 1, behind the glyph 0 that stands for all that the
font lacks. Where that had to be drawn, it is there a second time.
"""

import re
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pikepdf

_MEANT = re.compile(rb"<([0-9A-Fa-f]{2})> <((?:[0-9A-Fa-f]{4})+)>")  # a line of a ToUnicode map


def drawn(made: Path) -> list[str]:
    """Return for each font the first character that it had to draw as a box, as far as is told."""
    with pikepdf.open(made) as pdf:
        fonts = [thing for thing in pdf.objects if _is_font(thing)]
        return sorted({meant for font in fonts for meant in _boxes(font)})


def _is_font(thing: pikepdf.Object) -> bool:
    return (
        isinstance(thing, pikepdf.Dictionary)
        and thing.get("/Subtype") == "/TrueType"
        and "/ToUnicode" in thing
        and "/FontFile2" in thing.get("/FontDescriptor", {})
    )


def _boxes(font: pikepdf.Object) -> Iterator[str]:
    glyphs = _glyphs(font.FontDescriptor.FontFile2.read_bytes())
    for code, meant in _MEANT.findall(font.ToUnicode.read_bytes()):
        number = int(code, 16)
        if glyphs[0] and number < len(glyphs) and glyphs[number] == glyphs[0]:
            yield bytes.fromhex(meant.decode()).decode("utf-16-be", "replace")


def _glyphs(font: bytes) -> list[bytes]:
    """Return the outlines in a TrueType font (ISO/IEC 14496-22, 5.3)."""
    tables = {}
    for record in range(12, 12 + 16 * _short(font, 4), 16):
        _, start, length = struct.unpack_from(">III", font, record + 4)
        tables[font[record : record + 4]] = font[start : start + length]
    is_long, count = _short(tables[b"head"], 50), _short(tables[b"maxp"], 4)
    places = struct.unpack_from(f">{count + 1}{'I' if is_long else 'H'}", tables[b"loca"])
    unit = 1 if is_long else 2
    return [tables[b"glyf"][a * unit : b * unit] for a, b in pairwise(places)]


def _short(data: bytes, at: int) -> int:
    (number,) = struct.unpack_from(">H", data, at)
    return int(number)
