"""The facts about seats and connections that Rowmill rests on, tried on real servers."""

from collections.abc import Iterator

import pytest

from tests.postgres import VERSIONS, Server, pooling
from tests.postgres.paper import PAGE
from tests.postgres.seating import Full, fill

REFUSALS = {
    "15": "non-replication superuser connections",
    "18": "roles with the SUPERUSER attribute",
}


@pytest.fixture(params=sorted(VERSIONS))
def stock(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    """A version, and a server of the test's own, because all its seats are taken."""
    server = Server(VERSIONS[request.param])
    try:
        yield request.param, server
    finally:
        server.stop()


@pytest.fixture
def url(each_postgres: Server) -> Iterator[str]:
    with each_postgres.database(template="template0") as url:
        yield url


def test_an_ordinary_role_gets_97_of_100_seats_and_then_this_error(
    stock: tuple[str, Server],
) -> None:
    version, server = stock
    refusal = f"FATAL:  remaining connection slots are reserved for {REFUSALS[version]}"
    assert fill(server) == Full(97, refusal)


def test_the_docs_tell_the_same() -> None:
    told = PAGE.read_text()
    assert all(kept_for in told for kept_for in REFUSALS.values())
    assert "an ordinary role gets 97 of 100" in told
    assert "| `OperationalError: " in told
    assert "`DetachedInstanceError`" in told


def test_a_dead_pooled_connection_is_seen_before_use_only_with_pre_ping(url: str) -> None:
    assert pooling.use_after_death(url, pre_ping=True) is None
    error = pooling.use_after_death(url, pre_ping=False)
    assert error is not None
    assert error.startswith("OperationalError: ")


def test_what_detaches_an_object_is_expiry_and_not_the_end_of_its_session(url: str) -> None:
    assert pooling.read_afterwards(url, commits=False) is None
    assert pooling.read_afterwards(url, commits=True) == "DetachedInstanceError"
    assert pooling.read_afterwards(url, commits=True, expires=False) is None
