"""One conversion in a folder of its own, and its result seen through another reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worker.converters.table.reader import Result
from worker.converters.limits import Limits
from worker.converters.table import convert

Converting = Callable[..., Result]


@pytest.fixture
def converting(tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file, with options by name."""

    def run(
        content: bytes | str | Path,
        source_format: str,
        target_format: str,
        limits: Limits | None = None,
        **options: Any,
    ) -> Result:
        source = tmp_path / f"input.{source_format}"
        source.write_bytes(_bytes(content))
        target = tmp_path / f"output.{target_format}"
        told: list[tuple[float, str]] = []
        outcome = convert(
            source,
            target,
            source_format=source_format,
            target_format=target_format,
            options=options,
            limits=limits or Limits(),
            progress=lambda value, stage: told.append((value, stage)),
        )
        return Result(outcome, target, tuple(told))

    return run


def _bytes(content: bytes | str | Path) -> bytes:
    if isinstance(content, Path):
        return content.read_bytes()
    return content if isinstance(content, bytes) else content.encode()
