"""What comes out of a cell is, byte for byte, what the same converter makes without one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.formats import catalogue
from tests import samples
from tests.python import python
from tests.worker.converters import cells
from tests.worker.converters.document import documents
from tests.worker.converters.media.studio import Studio
from tests.worker.converters.office import documents as office
from tests.worker.converters.pdf import documents as pdfs
from tests.worker.converters.table import samples as tables
from worker.spawner.client import Spawner

PLAINLY = """
import os
from pathlib import Path
from worker.cell.conversion import load
from worker.converters.limits import Limits
from worker.outcome import Converted
os.chdir({place!r})
made = load({convert!r})(
    Path("input.{source}"), Path("output.{target}"), source_format="{source}",
    target_format="{target}", options={{}}, limits=Limits(), progress=lambda *_: None,
)
assert isinstance(made, Converted), made
os._exit(0)  # as a cell does: LibreOffice has threads that do not outlive Python's own end
"""
CASES: list[tuple[str, str, str, Callable[[Path], bytes]]] = [
    ("image", "heic", "png", lambda _: samples.sample("heic")),
    ("image", "svg", "webp", lambda _: samples.sample("svg")),
    ("media", "mp4", "png", lambda place: Studio(place).sample("mp4").read_bytes()),
    ("media", "wav", "flac", lambda place: Studio(place).sample("wav").read_bytes()),
    ("document", "md", "html", lambda _: documents.SAMPLES["md"]),
    ("pdf", "pdf", "png", lambda _: pdfs.document("Hello")),
    ("pdf", "pdf", "txt", lambda _: pdfs.document("Hello")),
    ("table", "csv", "ndjson", lambda _: tables.sample("csv")),
    ("table", "xlsx", "parquet", lambda _: tables.sample("xlsx")),
]
OFFICE = ("office", "docx", "rtf", lambda _: office.sample("docx"))


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[family.convert for family in catalogue.families()])
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.mark.parametrize(
    ("kind", "source", "target", "make"),
    [*CASES, pytest.param(*OFFICE, marks=pytest.mark.office)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_cell_changes_nothing_in_what_is_made(
    spawner: Spawner,
    tmp_path: Path,
    kind: str,
    source: str,
    target: str,
    make: Callable[[Path], bytes],
) -> None:
    family = catalogue.family_of_kind(kind)
    assert family is not None
    inside, plain = tmp_path / "inside", tmp_path / "plain"
    inside.mkdir(mode=0o700)
    plain.mkdir()
    content = make(tmp_path)
    (plain / f"input.{source}").write_bytes(content)

    said = cells.convert(spawner, family, content, source, target, place=inside, options={})
    python(PLAINLY.format(place=str(plain), convert=family.convert, source=source, target=target))

    assert said.content == (plain / f"output.{target}").read_bytes()


def test_every_family_has_a_case() -> None:
    built_in = {one.kind for one in catalogue.families() if one.convert.startswith("worker.")}
    assert {kind for kind, *_ in (*CASES, OFFICE)} == built_in
