"""A picture that names other people's files gets none of them, and is converted all the same."""

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.worker.cell.probing import house_of, spawner_of, task_of
from worker.outcome import Converted, Outcome, Refused
from worker.spawner.client import Spawner

IMAGE = "worker.converters.image:convert"
MARKER = b"MARKER-of-somebody-else"
GREEN_SQUARE = '<path d="M0 0h32v32H0z" fill="#00ff00"/>'


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), IMAGE) as spawner:
        yield spawner


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A scratch folder; in the folder beside it lie a red picture and a text of somebody else."""
    with house_of(os.getuid()) as scratch:
        others = scratch.parents[1] / "data"
        Image.new("RGB", (32, 32), "red").save(others / "red.png")
        (others / "text").write_bytes(MARKER)
        yield scratch


def convert(spawner: Spawner, scratch: Path, source: bytes, source_format: str) -> Outcome:
    (scratch.parents[1] / "data" / "source").write_bytes(source)
    task = task_of(
        scratch,
        IMAGE,
        source_format=source_format,
        target="output.png",
        target_format="png",
        memory_bytes=2 * 1024**3,
    )
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=60)
        return cell.outcome()


HOSTILE_DRAWINGS = {
    "image of a file": '<image href="file://{others}/red.png" width="32" height="32"/>',
    "image of a path": '<image href="{others}/red.png" width="32" height="32"/>',
    "image beside it": '<image href="../../data/red.png" width="32" height="32"/>',
    "include": '<xi:include href="file://{others}/text" parse="text"/>',
    "include, odd": '<xi:include href=".?../../data/text" parse="text"/>',
    "style": '<style>@import url("file://{others}/text"); path {{fill: #00ff00}}</style>',
    "entity": "<text>&other;</text>",
}


@pytest.mark.parametrize("name", HOSTILE_DRAWINGS)
def test_a_drawing_shows_nothing_of_others(spawner: Spawner, scratch: Path, name: str) -> None:
    others = scratch.parents[1] / "data"
    hostile = HOSTILE_DRAWINGS[name].format(others=others)
    kind = f'<!DOCTYPE svg [<!ENTITY other SYSTEM "file://{others}/text">]>'
    drawing = (
        f"{kind if name == 'entity' else ''}"
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xi="http://www.w3.org/2001/XInclude" '
        f'width="32" height="32">{GREEN_SQUARE}{hostile}</svg>'
    )
    outcome = convert(spawner, scratch, drawing.encode(), "svg")
    if isinstance(outcome, Refused):
        assert not (scratch / "output.png").exists()
        return
    assert isinstance(outcome, Converted), outcome
    with Image.open(scratch / "output.png") as made:
        assert made.convert("RGB").getcolors() == [(32 * 32, (0, 255, 0))]


def test_a_harmless_drawing_is_drawn(spawner: Spawner, scratch: Path) -> None:
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">{GREEN_SQUARE}</svg>'
    assert isinstance(convert(spawner, scratch, drawing.encode(), "svg"), Converted)
    with Image.open(scratch / "output.png") as made:
        assert made.convert("RGB").getcolors() == [(32 * 32, (0, 255, 0))]


def test_a_chunk_that_names_a_file_does_not_bring_it_in(spawner: Spawner, scratch: Path) -> None:
    """CVE-2022-44268: ImageMagick put the file that the text chunk "profile" names into the PNG."""
    other = scratch.parents[1] / "data" / "text"
    chunk = b"tEXtprofile\0" + os.fsencode(other)
    picture = samples.encoded(samples.flag(), "png")
    header = picture[:33]  # the signature and IHDR, before which no chunk may stand
    packed = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    outcome = convert(spawner, scratch, header + packed + picture[33:], "png")
    assert isinstance(outcome, Converted), outcome
    made = (scratch / "output.png").read_bytes()
    assert MARKER not in made
    assert MARKER.hex().encode() not in made
    with Image.open(scratch / "output.png") as opened:
        assert MARKER.decode() not in str(opened.info)
        assert opened.size == samples.flag().size


@pytest.mark.parametrize(
    "content",
    [
        b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
        b"push graphic-context\nimage over 0,0 0,0 'text:/etc/passwd'\npop graphic-context\n",
        b"%!PS\n(/etc/passwd) (r) file 100 string readstring pop show showpage\n",
        b"SIMPLE  =                    T" + b" " * 2850,
        b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 86 + b"\0\1IM",
    ],
    ids=["playlist", "concat", "MVG", "PostScript", "FITS", "MATLAB"],
)
@pytest.mark.parametrize("named", ["png", "jpg", "svg", "tiff"])
def test_what_is_no_picture_is_refused_whatever_its_name(
    spawner: Spawner, scratch: Path, content: bytes, named: str
) -> None:
    assert isinstance(convert(spawner, scratch, content, named), Refused)
    assert not (scratch / "output.png").exists()
