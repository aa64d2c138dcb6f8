"""Real PostgreSQL for every test that asks: one server a process, one fresh database a test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app import db
from tests.long import TIMES
from tests.postgres import VERSIONS, Server, migrated


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Do again and again, at length, what is marked so; in every other run it is done once."""
    marked = metafunc.definition.get_closest_marker("rounds")
    if marked is not None and TIMES > 1:
        metafunc.fixturenames.append("nth")
        metafunc.parametrize("nth", range(marked.args[0]), indirect=True)


@pytest.fixture
def nth(request: pytest.FixtureRequest) -> int:
    """Which of its rounds a test is in that is marked so."""
    return int(request.param)


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, Server]]:
    """Every server that was started, by major version; all are stopped at the end."""
    started: dict[str, Server] = {}
    yield started
    for server in started.values():
        server.stop()


@pytest.fixture
def postgres(servers: dict[str, Server]) -> Server:
    """The server of the embedded version; tests of moves ask for `each_postgres` instead."""
    return _running(servers, "18")


@pytest.fixture(params=sorted(VERSIONS))
def each_postgres(servers: dict[str, Server], request: pytest.FixtureRequest) -> Server:
    """Each PostgreSQL on this machine in turn: the oldest that is supported and the newest."""
    return _running(servers, request.param)


@pytest.fixture
def database_url(postgres: Server) -> Iterator[str]:
    """A migrated, empty database of its own."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = db.api_engine(database_url, name="rowmill test", limit=db.PATIENT)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> db.Sessions:
    return db.sessions_of(engine)


@pytest.fixture
def corpus() -> Path:
    """The folder of real files that others made."""
    return Path(os.environ["ROWMILL_CORPUS"])


def _running(servers: dict[str, Server], version: str) -> Server:
    if version not in servers:
        servers[version] = Server(VERSIONS[version])
        migrated(servers[version])
    return servers[version]
