"""Well-known ways to make ffmpeg and pandoc read files and addresses, in a cell and without one.

Each runs with the careless options that it needs: outside of a cell it leaks, so that the test is
known to see a leak; inside it gets nothing. What the converters do about them besides is theirs.
"""

import base64
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg
import pypandoc
import pytest
from PIL import Image

from app.formats.family import Needs
from tests.site import Site, served
from tests.worker.cell.films import film
from tests.worker.cell.probing import house_of, spawner_of, task_of
from worker.converters import program
from worker.outcome import Converted
from worker.spawner.client import Spawner

PROGRAMS = "rowmill_programs:convert"
FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()
PANDOC = pypandoc.get_pandoc_path()
MARKER = "MARKER-of-somebody-else"
Run = Callable[[list[str]], None]


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), PROGRAMS) as spawner:
        yield spawner


@pytest.fixture
def scratch() -> Iterator[Path]:
    with house_of(os.getuid()) as scratch:
        others = scratch.parents[1] / "data"
        Image.new("RGB", (32, 32), "red").save(others / "red.png")
        (others / "text.txt").write_text(MARKER)
        yield scratch


@pytest.fixture
def in_a_cell(spawner: Spawner, scratch: Path) -> Run:
    def run(argv: list[str]) -> None:
        task = task_of(
            scratch,
            PROGRAMS,
            options={"run": [argv]},
            needs=Needs(programs=1),
            memory_bytes=2 * 1024**3,
        )
        with spawner.cell(task) as cell:
            assert cell.wait(timeout=60)
            assert isinstance(cell.outcome(), Converted)

    return run


@pytest.fixture
def outside(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(argv: list[str]) -> None:
        monkeypatch.chdir(scratch)
        program.run(argv)

    return run


@dataclass(frozen=True)
class Repro:
    """A file of a stranger, what is done with it, and where the loot would be."""

    source: str
    content: str | Callable[[Path], bytes]
    argv: list[str]
    target: str

    def written(self, **places: object) -> bytes:
        if isinstance(self.content, str):
            return self.content.format(**places).encode()
        return self.content(Path(str(places["others"])))


def film_elsewhere(others: Path) -> bytes:
    red = others / "red.png"
    return film(red.read_bytes(), side=32, elsewhere=red)


CONCAT = Repro(
    "list.ffconcat",
    "ffconcat version 1.0\nfile {others}/red.png\n",
    [FFMPEG, "-nostdin", "-y", "-safe", "0", "-i", "list.ffconcat", "-update", "1", "out.png"],
    "out.png",
)
READING = {
    "ffmpeg, concat without safe": CONCAT,
    "ffmpeg, film in another file": Repro(
        "film.mov",
        film_elsewhere,
        [
            *(FFMPEG, "-nostdin", "-y", "-enable_drefs", "1", "-use_absolute_path", "1"),
            *("-i", "film.mov", "-frames:v", "1", "-update", "1", "out.png"),
        ],
        "out.png",
    ),
    "pandoc, image into docx": Repro(
        "in.md",
        "Benign words.\n\n![]({others}/red.png)\n",
        [PANDOC, "in.md", "-o", "out.docx"],
        "out.docx",
    ),
    "pandoc, include of rst": Repro(
        "in.rst",
        "Benign words.\n\n.. include:: {others}/text.txt\n",
        [PANDOC, "in.rst", "-t", "plain", "-o", "out.txt"],
        "out.txt",
    ),
    "pandoc, embedded resources": Repro(
        "in.md",
        "Benign words.\n\n![]({others}/red.png)\n",
        [PANDOC, "in.md", "-s", "--embed-resources", "-M", "title=t", "-o", "out.html"],
        "out.html",
    ),
}
ASKING = {
    "ffmpeg, playlist": Repro(
        "list.m3u8",
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{site}.ts\n#EXT-X-ENDLIST\n",
        [
            *(FFMPEG, "-nostdin", "-y", "-protocol_whitelist", "file,http,tcp"),
            *("-i", "list.m3u8", "out.mp4"),
        ],
        "out.mp4",
    ),
    "pandoc, image of an address": Repro(
        "in.html",
        '<p>Benign words.</p><img src="{site}">',
        [PANDOC, "in.html", "-o", "out.docx"],
        "out.docx",
    ),
}


@pytest.mark.parametrize("name", READING)
def test_a_file_of_others_is_read_outside_and_not_in_a_cell(
    scratch: Path, in_a_cell: Run, outside: Run, name: str
) -> None:
    repro = READING[name]
    others = scratch.parents[1] / "data"
    (scratch / repro.source).write_bytes(repro.written(others=others))
    made = scratch / repro.target
    outside(repro.argv)
    assert leaked(made, others)
    made.unlink()
    in_a_cell(repro.argv)
    assert not leaked(made, others)


@pytest.mark.parametrize("name", ASKING)
def test_an_address_is_asked_outside_and_not_from_a_cell(
    scratch: Path, in_a_cell: Run, outside: Run, site: Site, name: str
) -> None:
    repro = ASKING[name]
    (scratch / repro.source).write_bytes(repro.written(site=site.address))
    outside(repro.argv)
    assert site.asked
    site.asked.clear()
    in_a_cell(repro.argv)
    assert site.asked == []


def test_ffmpeg_converts_what_is_its_own(scratch: Path, in_a_cell: Run) -> None:
    Image.new("RGB", (32, 32), "lime").save(scratch / "mine.png")
    (scratch / CONCAT.source).write_text("ffconcat version 1.0\nfile mine.png\n")
    in_a_cell(CONCAT.argv)
    with Image.open(scratch / "out.png") as made:
        assert made.convert("RGB").getpixel((9, 9)) == (0, 255, 0)


def test_pandoc_converts_what_is_its_own(scratch: Path, in_a_cell: Run) -> None:
    (scratch / "in.md").write_text("Benign words.\n")
    in_a_cell([PANDOC, "in.md", "-o", "out.docx"])
    with zipfile.ZipFile(scratch / "out.docx") as made:
        assert b"Benign words." in made.read("word/document.xml")


def leaked(made: Path, others: Path) -> bool:
    """Tell whether a result holds the red picture or the marker."""
    if not made.exists():
        return False
    red = (others / "red.png").read_bytes()
    data = made.read_bytes()
    if made.suffix == ".png":
        with Image.open(io.BytesIO(data)) as opened:
            return opened.convert("RGB").getpixel((9, 9)) == (255, 0, 0)
    if made.suffix == ".docx":
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return any(opened.read(name) == red for name in opened.namelist())
    return MARKER.encode() in data or base64.b64encode(red) in data
