"""Conversions of documents in real cells."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from app.formats.document import DOCUMENT
from tests.worker.converters import cells
from tests.worker.converters.cells import Said
from worker.spawner.client import Spawner

Converting = Callable[..., Said]


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(DOCUMENT) as spawner:
        yield spawner


@pytest.fixture(scope="session")
def converting(spawner: Spawner, tmp_path_factory: pytest.TempPathFactory) -> Converting:
    """Return a function that converts text, bytes or a file in a cell, with options by name."""

    def run(
        content: str | bytes | Path,
        source_format: str,
        target_format: str,
        limits: dict[str, int] | None = None,
        memory_bytes: int = cells.MEMORY,
        cpu_seconds: int = 60,
        file_bytes: int = 64 * 1024**2,
        beside: Mapping[str, bytes] = MappingProxyType({}),
        **options: Any,
    ) -> Said:
        # What lies beside the link to the source, the cell could read, and so could what it starts.
        place = tmp_path_factory.mktemp("cell")
        for name, other in beside.items():
            (place / name).write_bytes(other)
        return cells.convert(
            spawner,
            DOCUMENT,
            _bytes(content).replace(b"@PLACE@", bytes(place)),
            source_format,
            target_format,
            place=place,
            options=options,
            limits=limits,
            memory_bytes=memory_bytes,
            cpu_seconds=cpu_seconds,
            file_bytes=file_bytes,
        )

    return run


def _bytes(content: str | bytes | Path) -> bytes:
    if isinstance(content, Path):
        return content.read_bytes()
    return content.encode() if isinstance(content, str) else content
