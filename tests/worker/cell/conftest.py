"""Where a cell works, for those tests that need nothing beside it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worker.cell.probing import house_of


@pytest.fixture
def scratch() -> Iterator[Path]:
    with house_of(os.getuid()) as scratch:
        yield scratch
