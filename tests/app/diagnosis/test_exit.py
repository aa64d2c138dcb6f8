"""How `rowmill doctor` ends is told by what it sees: 0, 1 after a warning, 2 after a failure."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app import schema
from app.db import single_engine
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


def test_a_pinned_horizon_ends_it_with_1_and_no_free_seat_with_2(
    careful: Server, tmp_path: Path
) -> None:
    with careful.database() as url:
        with single_engine(url, name="rowmill test").begin() as connection:
            house_id, _ = schema.house_of(connection)
        DiskStorage(tmp_path).claim_house(house_id, may_create=True)
        run(careful, url, PIN)
        pinned = doctor(url, tmp_path)
        run(careful, url, UNPIN)
        well = doctor(url, tmp_path)
        run(careful, url, CRAMP)
        cramped = make_url(url).set(username="cramped").render_as_string(hide_password=False)
        full = doctor(cramped, tmp_path)
    assert (pinned.returncode, well.returncode) == (1, 0), pinned.stdout + well.stdout
    [line] = [line for line in pinned.stdout.splitlines() if not line.startswith("ok ")]
    assert line.startswith("warning  horizon: held by prepared transaction 'left behind'")
    assert full.returncode == 2
    assert "failure  seats: none is free of 1 seats" in full.stdout


def doctor(url: str, data: Path) -> "subprocess.CompletedProcess[str]":
    others = {name: value for name, value in os.environ.items() if not name.startswith("ROWMILL_")}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "doctor"],
        env=others | {"ROWMILL_DATA": str(data), "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )


def run(server: Server, url: str, statements: tuple[str, ...]) -> None:
    connection = server.connect(url.rpartition("/")[2])
    connection.autocommit = True
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()
