"""What holds the horizon without being a session: found on a real server that has all of it."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import psycopg2
import pytest
from sqlalchemy import make_url

from app import db
from app.diagnosis import catalogs, horizon
from app.diagnosis.catalogs import CatalogSlot
from app.diagnosis.horizon import Holder
from tests.polling import poll
from tests.postgres import VERSIONS, Server
from tests.postgres.standby import Standby

# A new slot waits for the transactions that are open, so it comes first.
LEFT = (
    (
        ["SELECT pg_create_logical_replication_slot('slot', 'pgoutput')"],
        ["SELECT pg_drop_replication_slot('slot')"],
    ),
    (
        ["BEGIN", "CREATE TABLE written (a int)", "PREPARE TRANSACTION 'left behind'"],
        ["ROLLBACK PREPARED 'left behind'"],
    ),
)


@pytest.fixture
def primary() -> Iterator[Server]:
    server = Server(VERSIONS["18"], wal_level="logical", autovacuum="off")
    yield server
    server.stop()


@pytest.fixture
def standby(primary: Server) -> Iterator[Server]:
    server = Standby(primary)
    yield server
    server.stop()


def test_slots_prepared_transactions_and_standbys_are_found(
    primary: Server, standby: Server
) -> None:
    with primary.database(template="template0") as url, ExitStack() as left:
        database = url.rpartition("/")[2]
        for statement, undo in LEFT:
            run(primary, database, statement)
            left.callback(run, primary, database, undo)
        poll(lambda: reads_on(standby, database, left))
        poll(lambda: set(found(url)) == {"prepared transaction", "standby"})
        seen, [slot] = found(url), catalogs_of(url)
        run(primary, database, ["SELECT pg_create_physical_replication_slot('followed')"])
        run(standby, database, ["ALTER SYSTEM SET primary_slot_name = 'followed'"])
        run(standby, database, ["SELECT pg_reload_conf()"])
        poll(lambda: set(found(url)) == {"prepared transaction", "replication slot"})
        followed = found(url)["replication slot"]
    prepared = seen["prepared transaction"]
    assert (prepared.name, prepared.seconds is None) == ("left behind", False)
    assert (slot.slot, slot.plugin, slot.is_active) == ("slot", "pgoutput", False)
    assert (seen["standby"].state, seen["standby"].client) == ("streaming", "127.0.0.1")
    assert (followed.name, followed.state, followed.seconds) == ("followed", "active", None)


def test_an_ordinary_role_is_told_of_a_standby_once_and_not_to_end_it(
    primary: Server, standby: Server
) -> None:
    with primary.database(template="template0") as url, ExitStack() as left:
        database = url.rpartition("/")[2]
        run(primary, database, ["CREATE ROLE ordinary LOGIN"])
        ordinary = make_url(url).set(username="ordinary").render_as_string(hide_password=False)
        poll(lambda: reads_on(standby, database, left))
        poll(lambda: holders(url))
        [seen] = holders(ordinary)
    assert (seen.what, seen.state, seen.client) == ("standby", None, "unknown")


def found(url: str) -> dict[str, Holder]:
    return {one.what: one for one in holders(url) if one.what != "session"}


def holders(url: str) -> Sequence[Holder]:
    with db.sessions_of(db.single_engine(url, name="test"))() as session:
        return horizon.read(session)


def catalogs_of(url: str) -> Sequence[CatalogSlot]:
    with db.sessions_of(db.single_engine(url, name="test"))() as session:
        return catalogs.read(session)


def run(server: Server, database: str, statements: Sequence[str]) -> None:
    connection = server.connect(database)
    connection.autocommit = True
    for statement in statements:
        connection.cursor().execute(statement)
    connection.close()


def reads_on(standby: Server, database: str, left: ExitStack) -> bool:
    """Leave a snapshot open on the standby; False as long as the database has not come there."""
    try:
        connection = standby.connect(database)
    except psycopg2.OperationalError:
        return False
    left.callback(connection.close)
    connection.set_session(isolation_level="REPEATABLE READ")
    connection.cursor().execute("SELECT count(*) FROM pg_class")
    return True
