"""A running lab for each test that asks for one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.app.ingest.lab import Lab


@pytest.fixture
def start_lab(tmp_path: Path) -> Iterator[Callable[..., Lab]]:
    """Start labs with chosen limits; they end with the test."""
    with ExitStack() as labs:
        yield lambda **limits: labs.enter_context(Lab(tmp_path / "data", **limits).running())


@pytest.fixture
def lab(start_lab: Callable[..., Lab]) -> Lab:
    return start_lab()
