"""The house of the tests of points; the runs of a plan have a server of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import Server
from tests.system.house import FEW, House, house_on


@pytest.fixture
def house(postgres: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(postgres, tmp_path, **FEW) as house:
        yield house
