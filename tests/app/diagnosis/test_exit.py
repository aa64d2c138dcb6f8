"""How `rowmill doctor` ends is told by what it sees: 0, 1 after a warning, 2 after a failure."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from sqlalchemy import Pool, event, make_url

from app import schema
from app.cli import doctor as command
from app.db import single_engine
from app.diagnosis import horizon
from app.settings import Settings
from app.storage import DiskStorage
from tests.postgres import VERSIONS, Server, migrated

PIN = ("BEGIN", "CREATE TABLE written (a int)", "PREPARE TRANSACTION 'left behind'")
UNPIN = ("ROLLBACK PREPARED 'left behind'",)
CRAMP = (
    "CREATE ROLE cramped LOGIN CONNECTION LIMIT 1",
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO cramped",
)


@pytest.fixture
def careful() -> Iterator[Server]:
    """A server of which the doctor has nothing to say."""
    synced = {"fsync": "on", "full_page_writes": "on"}
    server = Server(VERSIONS["18"], **synced, idle_in_transaction_session_timeout="60s")
    yield migrated(server)
    server.stop()


def test_a_horizon_pinned_for_long_ends_it_with_1_and_no_free_seat_with_2(
    careful: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with careful.database() as url:
        with single_engine(url, name="rowmill test").begin() as connection:
            house_id, _ = schema.house_of(connection)
        DiskStorage(tmp_path).claim_house(house_id, may_create=True)
        run(careful, url, PIN)
        young = doctor(url, tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(horizon, "LONG_SECONDS", 0.0)
            pinned = doctor(url, tmp_path)
        run(careful, url, UNPIN)
        well = doctor(url, tmp_path)
        run(careful, url, CRAMP)
        cramped = make_url(url).set(username="cramped").render_as_string(hide_password=False)
        full = doctor(cramped, tmp_path)
    assert [ended for ended, _ in (young, pinned, well, full)] == [0, 1, 0, 2]
    assert "horizon: oldest: prepared transaction 'left behind'" in young[1]
    [line] = [line for line in pinned[1].splitlines() if not line.startswith("ok ")]
    assert line.startswith("warning  horizon: held by prepared transaction 'left behind'")
    assert "failure  seats: none is free of 1 seats" in full[1]


def test_it_takes_one_seat_and_takes_it_once(database_url: str, tmp_path: Path) -> None:
    """Where seats are short, which is when one asks, somebody else may have the next."""
    seats: list[object] = []

    def count(connection: object, _: object) -> None:
        seats.append(connection)

    event.listen(Pool, "connect", count)
    try:
        _, said = doctor(database_url, tmp_path)
    finally:
        event.remove(Pool, "connect", count)
    assert "seats: " in said
    assert len(seats) == 1


def doctor(url: str, data: Path) -> tuple[int, str]:
    """Return how it ends and what it prints."""
    settings = Settings(database_url=url, data=data, scratch=data / "scratch")
    with redirect_stdout(StringIO()) as printed:
        ended = command.run(Namespace(json=False), settings)
    return ended, printed.getvalue()


def run(server: Server, url: str, statements: tuple[str, ...]) -> None:
    connection = server.connect(url.rpartition("/")[2])
    connection.autocommit = True
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()
