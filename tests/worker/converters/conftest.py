"""One conversion in a folder of its own, and its result seen through another reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worker.converters.reader import Result
from worker.converters.image import convert
from worker.converters.limits import Limits

Converting = Callable[..., Result]


@pytest.fixture
def converting(tmp_path: Path) -> Converting:
    """Return a function that converts bytes or a real file, with options by name."""

    def run(
        content: bytes | Path,
        source_format: str,
        target_format: str,
        limits: Limits | None = None,
        progress: Callable[[float, str], None] = lambda _value, _stage: None,
        **options: Any,
    ) -> Result:
        source = tmp_path / f"input.{source_format}"
        source.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
        target = tmp_path / f"output.{target_format}"
        outcome = convert(
            source,
            target,
            source_format=source_format,
            target_format=target_format,
            options=options,
            limits=limits or Limits(),
            progress=progress,
        )
        return Result(outcome, target, target_format)

    return run
