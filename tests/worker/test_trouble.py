"""The database fails a worker: one line in ten seconds, and the return only after a line."""

from collections.abc import Iterator
from typing import Any

import psycopg2
import pytest
import structlog
from sqlalchemy.exc import OperationalError

from worker import trouble
from worker.trouble import Trouble

DIED = OperationalError("", {}, psycopg2.OperationalError("PANIC: No space left on device"))
GONE = OperationalError("", {}, psycopg2.OperationalError("Connection refused"))


@pytest.fixture
def said() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as entries:
        yield entries


def events(said: list[Any]) -> list[str]:
    return [entry["event"] for entry in said]


def test_a_trouble_that_comes_and_goes_is_told_once(said: list[Any]) -> None:
    """A full disk takes one statement and refuses the next."""
    one = Trouble()
    for _ in range(5):
        one.meet(DIED)
        one.forget()
    assert events(said) == ["database.full", "database.back"]


def test_a_server_that_died_of_its_full_disk_is_not_merely_away(
    said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trouble, "QUIET_SECONDS", 0.0)
    one = Trouble()
    for error in (DIED, GONE):
        one.meet(error)
    one.forget()
    one.meet(GONE)
    assert events(said) == ["database.full", "database.full", "database.back", "database.away"]
