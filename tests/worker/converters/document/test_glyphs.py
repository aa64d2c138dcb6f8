"""Characters that turn into boxes are found, so that nobody takes the boxes for the text."""

import struct
from pathlib import Path

import pytest

from tests.worker.converters.document.conftest import Converting
from worker.converters.document.glyphs import unshowable


def _font(*ranges: tuple[int, int], long: bool) -> bytes:
    """Return as much of a font as tells which characters it has."""
    if long:
        groups = b"".join(struct.pack(">III", *one, 1) for one in ranges)
        body = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, len(ranges)) + groups
    else:
        firsts, lasts = zip(*ranges, strict=True)
        ends = struct.pack(f">{len(ranges)}H", *lasts)
        starts = struct.pack(f">{len(ranges)}H", *firsts)
        body = struct.pack(">HHHHHHH", 4, 0, 0, 2 * len(ranges), 0, 0, 0) + ends + b"\0\0" + starts
    cmap = struct.pack(">HHHHI", 0, 1, 3, 10, 12) + body
    table = struct.pack(">4sIII", b"cmap", 0, 28, len(cmap))
    return struct.pack(">IHHHH", 0x10000, 1, 0, 0, 0) + table + cmap


@pytest.mark.parametrize("long", [True, False])
def test_what_a_font_has_is_not_missing(tmp_path: Path, long: bool) -> None:
    font = tmp_path / "a.ttf"
    font.write_bytes(_font((0x41, 0x5A), (0x6F22, 0x6F22), (0x8000, 0x9000), long=long))

    assert unshowable("Wörter αβγ漢字", [(font, 0)]) == {"字"}
    assert unshowable("漢字", []) == {"漢", "字"}


def test_a_collection_holds_several_fonts(tmp_path: Path) -> None:
    first, second = _font((0x6F22, 0x6F22), long=True), _font((0x5B57, 0x5B57), long=True)
    head = b"ttcf" + struct.pack(">III", 0x10000, 2, 20) + struct.pack(">I", 20 + len(first))
    moved = [
        one.replace(
            struct.pack(">4sIII", b"cmap", 0, 28, len(one) - 28),
            struct.pack(">4sIII", b"cmap", 0, 28 + at, len(one) - 28),
        )
        for one, at in ((first, 20), (second, 20 + len(first)))
    ]
    font = tmp_path / "a.ttc"
    font.write_bytes(head + b"".join(moved))

    assert unshowable("漢字", [(font, 0)]) == {"字"}
    assert unshowable("漢字", [(font, 1)]) == {"漢"}


@pytest.mark.parametrize("content", [b"", b"OTTO", b"\0\1\0\0\0\x09" + bytes(6)])
def test_a_broken_font_has_nothing(tmp_path: Path, content: bytes) -> None:
    font = tmp_path / "a.ttf"
    font.write_bytes(content)

    assert unshowable("漢", [(font, 0), (tmp_path / "gone.ttf", 0)]) == {"漢"}


def test_a_person_is_told_of_the_boxes(converting: Converting) -> None:
    nowhere = "\U0003fff0"  # of no script yet, so of no font

    told = converting(f"text {nowhere} text {nowhere}\n", "md", "pdf").notes
    silent = converting("Wörter, αβγ, слова – “quoted”\n", "md", "pdf").notes  # noqa: RUF001

    assert "No font of this machine has 1 of the characters" in told
    assert silent == ""
