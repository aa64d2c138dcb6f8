"""Conversions of documents in real cells, and their results seen through other readers."""

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image

from app.formats.pdf import PDF
from app.formats.recognise import recognise
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner, Task

MEMORY = 2 * 1024**3


@dataclass(frozen=True)
class Result:
    """What one cell said, printed and left."""

    outcome: Converted | Refused | Broken
    path: Path
    told: list[tuple[float, str]]
    printed: str

    @property
    def facts(self) -> dict[str, Any]:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.outcome.facts

    @property
    def notes(self) -> str:
        return " ".join(self.facts["notes"])

    @property
    def refused(self) -> Refused:
        assert isinstance(self.outcome, Refused), self.outcome
        return self.outcome

    @property
    def broken(self) -> Broken:
        assert isinstance(self.outcome, Broken), self.outcome
        return self.outcome

    @property
    def format(self) -> str | None:
        """What the bytes are, whatever they are called."""
        assert isinstance(self.outcome, Converted), self.outcome
        made = self.path.read_bytes()
        return recognise(made[: 1024**2], made[-64 * 1024 :], size=len(made))

    @property
    def image(self) -> Image.Image:
        assert self.format == self.path.suffix[1:]
        with Image.open(self.path) as opened:
            opened.load()
            return opened

    @property
    def images(self) -> dict[str, Image.Image]:
        """The pictures in a zip, by their names."""
        assert isinstance(self.outcome, Converted), self.outcome
        assert (self.outcome.format, self.format) == ("zip", "zip")
        with zipfile.ZipFile(self.path) as archive:
            assert archive.testzip() is None
            assert all(one.compress_type == zipfile.ZIP_STORED for one in archive.infolist())
            return {name: Image.open(io.BytesIO(archive.read(name))) for name in archive.namelist()}

    @property
    def text(self) -> str:
        assert isinstance(self.outcome, Converted), self.outcome
        return self.path.read_bytes().decode()

    @property
    def pdf(self) -> pikepdf.Pdf:
        assert self.format == "pdf"
        return pikepdf.open(self.path)


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[PDF.convert, str(PDF.trial)])
    spawner.start()
    assert spawner.ready == {PDF.convert: None, PDF.trial: None}
    yield spawner
    spawner.stop()


@pytest.fixture
def converting(spawner: Spawner, tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = MEMORY,
        file_bytes: int = 256 * 1024**2,
        **options: Any,
    ) -> Result:
        place = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        place.mkdir(mode=0o700)
        # As in a worker, the source is a link to a file whose folder the cell cannot read.
        (place.with_name(f"{place.name}-stored")).mkdir()
        stored = place.with_name(f"{place.name}-stored") / "0"
        stored.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        (place / "input.pdf").symlink_to(stored)
        task = Task(
            convert=PDF.convert,
            scratch=place,
            source="input.pdf",
            target=f"output.{target_format}",
            source_format="pdf",
            target_format=target_format,
            options=options,
            limits=limits or {},
            memory_bytes=memory_bytes,
            cpu_seconds=100,
            file_bytes=file_bytes,
            needs=PDF.needs,
        )
        with spawner.cell(task) as cell:
            told = _followed(cell)
        assert {left.name for left in place.iterdir()} <= {"input.pdf", task.target}
        return Result(cell.outcome(), place / task.target, told, cell.stderr)

    return run


def _followed(cell: Cell) -> list[tuple[float, str]]:
    """Wait for the end; return what was told meanwhile."""
    told: list[tuple[float, str]] = []
    for _ in range(12_000):
        ended = cell.wait(timeout=0.01)
        if not told or told[-1] != (cell.progress, cell.stage):
            told.append((cell.progress, cell.stage))
        if ended:
            return told
    raise AssertionError("the cell did not end within 120 s")
