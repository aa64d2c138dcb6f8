"""Conversions in real cells, and older formats made once by LibreOffice itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.formats.office import OFFICE
from tests.worker.converters import cells
from tests.worker.converters.cells import Said
from tests.worker.converters.office import documents
from worker.spawner.client import Spawner

FROM = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}


Converting = Callable[..., Said]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(OFFICE) as spawner:
        yield spawner


@pytest.fixture(scope="session")
def converting(spawner: Spawner, tmp_path_factory: pytest.TempPathFactory) -> Converting:
    """Return a function that converts bytes or a real file in a cell, with options by name."""

    def run(
        content: bytes | Path,
        source_format: str,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = cells.MEMORY,
        converter: str = OFFICE.convert,
        file_bytes: int = 1024**3,
        **options: Any,
    ) -> Said:
        return cells.convert(
            spawner,
            OFFICE,
            content,
            source_format,
            target_format,
            place=tmp_path_factory.mktemp("office"),
            options=options,
            limits=limits,
            memory_bytes=memory_bytes,
            file_bytes=file_bytes,
            convert=converter,
        )

    return run


@pytest.fixture(scope="session")
def sample(converting: Converting) -> Callable[[str], bytes]:
    """Return a function that gives a small document; one of the old formats is made once."""
    made: dict[str, bytes] = {}

    def give(name: str) -> bytes:
        if name not in made:
            made[name] = documents.sample(name) if name not in FROM else _old(converting, name)
        return made[name]

    return give


def _old(converting: Converting, name: str) -> bytes:
    made: Said = converting(documents.sample(FROM[name]), FROM[name], name)
    return made.content
