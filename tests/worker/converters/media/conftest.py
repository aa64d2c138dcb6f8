"""Conversions of films and sounds in real cells."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.formats.media import MEDIA
from app.formats.recognise import recognise
from tests.worker.converters import cells
from tests.worker.converters.cells import Said
from tests.worker.converters.media.studio import Studio
from worker.outcome import Broken, Refused
from worker.spawner.client import Spawner


class Result(Said):
    """What one cell said, printed and left."""

    @property
    def refused(self) -> Refused:
        refused = super().refused
        assert not self.path.exists(), "something was left that could be published"
        return refused

    @property
    def made(self) -> Path:
        """The result, which is what its name says."""
        content = self.content
        found = recognise(content[: 1024**2], content[-64 * 1024 :], size=len(content))
        assert found == self.path.suffix[1:]
        return self.path


Converting = Callable[..., Result]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return Studio(tmp_path_factory.mktemp("studio"))


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(MEDIA) as spawner:
        yield spawner


@pytest.fixture
def converting(spawner: Spawner, tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        source_format: str,
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
            MEDIA,
            content,
            source_format,
            target_format,
            place=place,
            options=options,
            limits=limits,
            memory_bytes=memory_bytes,
            file_bytes=file_bytes,
        )
        if not isinstance(said.outcome, Broken):
            names = {f"input.{source_format}", f"output.{target_format}"}
            assert {left.name for left in place.iterdir()} <= names
        return Result(**vars(said))

    return run
