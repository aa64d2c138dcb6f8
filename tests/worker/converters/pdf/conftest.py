"""Conversions of documents in real cells, and their results seen through other readers."""

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image

from app.formats.pdf import PDF
from app.formats.recognise import recognise
from tests.worker.converters import cells
from tests.worker.converters.cells import Said
from worker.outcome import Converted
from worker.spawner.client import Spawner


class Result(Said):
    """What one cell said, printed and left."""

    @property
    def format(self) -> str | None:
        """What the bytes are, whatever they are called."""
        made = self.content
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
        return self.content.decode()

    @property
    def pdf(self) -> pikepdf.Pdf:
        assert self.format == "pdf"
        return pikepdf.open(self.path)


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(PDF) as spawner:
        yield spawner


@pytest.fixture
def converting(spawner: Spawner, tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = cells.MEMORY,
        file_bytes: int = 256 * 1024**2,
        **options: Any,
    ) -> Result:
        place = tmp_path / f"scratch-{len(list(tmp_path.iterdir()))}"
        place.mkdir(mode=0o700)
        said = cells.convert(
            spawner,
            PDF,
            content,
            "pdf",
            target_format,
            place=place,
            options=options,
            limits=limits,
            memory_bytes=memory_bytes,
            file_bytes=file_bytes,
        )
        names = {"input.pdf", f"output.{target_format}"}
        assert {left.name for left in place.iterdir()} <= names
        return Result(**vars(said))

    return run
