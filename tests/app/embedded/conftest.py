"""Data folders and programs that hold an embedded server, all ended with the test."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.embedded.held import Held
from tests.system import surroundings

# What only root can try is not collected for anybody else; `make test` says so.
collect_ignore = [] if os.geteuid() == 0 else ["test_as_root.py"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can enter, unlike pytest's own."""
    with surroundings.open_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a cluster that was stopped, from which tests take copies."""
    with surroundings.open_folder() as folder:
        held = Held(folder / "data", {"log": str(tmp_path_factory.mktemp("made") / "log")})
        held.end()
        yield folder / "data"


@pytest.fixture
def data(made: Path, open_folder: Path) -> Path:
    """A data folder with a cluster."""
    subprocess.run(["cp", "-a", made, open_folder / "data"], check=True)
    return open_folder / "data"


@pytest.fixture
def new_data(open_folder: Path) -> Path:
    """A data folder that does not exist yet."""
    return open_folder / "data"


@pytest.fixture
def hold(tmp_path: Path) -> Iterator[Callable[..., Held]]:
    """Start a program with a server on a data folder; it is ended with the test."""
    held: list[Held] = []

    def start(data: Path, **options: str) -> Held:
        held.append(Held(data, {"log": str(tmp_path / "postgres.log"), **options}))
        return held[-1]

    yield start
    for one in held:
        one.end()
