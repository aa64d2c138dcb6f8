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

from worker.converters.sfnt import short, tables

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
    parts = {tag: font[start : start + length] for tag, (start, length) in tables(font).items()}
    is_long, count = short(parts[b"head"], 50), short(parts[b"maxp"], 4)
    places = struct.unpack_from(f">{count + 1}{'I' if is_long else 'H'}", parts[b"loca"])
    unit = 1 if is_long else 2
    return [parts[b"glyf"][a * unit : b * unit] for a, b in pairwise(places)]
