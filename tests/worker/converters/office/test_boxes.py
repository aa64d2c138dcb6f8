"""A box is told from the glyphs of an embedded font: what stands for the missing comes twice."""

import struct
from pathlib import Path

import pikepdf
import pytest

from worker.converters.office import boxes

MISSING, GOOSE = b"box!", b"wing"


@pytest.mark.parametrize("is_long", [True, False])
@pytest.mark.parametrize(
    ("glyphs", "found"),
    [
        ([MISSING, GOOSE, MISSING], ["字"]),
        ([MISSING, MISSING, MISSING], ["g", "字"]),
        ([MISSING, GOOSE, GOOSE], []),
        ([b"", b"", b""], []),  # of a space, and of a font that shows nothing for what it lacks
        ([MISSING, GOOSE], []),
    ],
)
def test_what_is_drawn_like_the_missing_one_is_a_box(
    tmp_path: Path, glyphs: list[bytes], found: list[str], *, is_long: bool
) -> None:
    made = tmp_path / "made.pdf"
    pdf = pikepdf.new()
    codes = b"1 begincodespacerange\n<00> <FF>\nendcodespacerange\n2 beginbfchar\n"
    meant = pdf.make_stream(codes + b"<01> <0067>\n<02> <5B57>\nendbfchar")
    embedded = pikepdf.Dictionary(FontFile2=pdf.make_stream(font(glyphs, is_long=is_long)))
    pdf.Root.Kept = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.TrueType,
            FontDescriptor=pdf.make_indirect(embedded),
            ToUnicode=meant,
        )
    )
    pdf.save(made)

    assert boxes.drawn(made) == found


def font(glyphs: list[bytes], *, is_long: bool) -> bytes:
    """Return a TrueType font with no more than the tables that say where its outlines are."""
    places = [sum(map(len, glyphs[:n])) for n in range(len(glyphs) + 1)]
    tables = {
        b"glyf": b"".join(glyphs),
        b"head": bytes(50) + struct.pack(">hh", is_long, 0),
        b"loca": b"".join(
            struct.pack(">I", place) if is_long else struct.pack(">H", place // 2)
            for place in places
        ),
        b"maxp": struct.pack(">IH", 0x00010000, len(glyphs)),
    }
    records, bodies = b"", b""
    for name, body in tables.items():
        start = 12 + 16 * len(tables) + len(bodies)
        records += name + struct.pack(">III", 0, start, len(body))
        bodies += body
    return struct.pack(">IHHHH", 0x00010000, len(tables), 0, 0, 0) + records + bodies
