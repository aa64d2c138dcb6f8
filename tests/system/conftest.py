"""Fixtures of tests with real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Server
from tests.system.house import FEW, House, house_on


@pytest.fixture
def house(postgres: Server, tmp_path: Path) -> Iterator[House]:
    """A house with short leases and no process yet."""
    with house_on(postgres, tmp_path, **FEW) as house:
        yield house
