"""Of the server's own housekeeping only what VACUUM has to respect is said to hold the horizon."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg2
import pytest

from app import db
from app.diagnosis import horizon
from tests.polling import poll
from tests.postgres import Server

# Each comparison waits, so that whatever sorts takes as long as a session says: nobody's statement
# is over before it has been looked at.
MAKE = """
CREATE FUNCTION slow(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM pg_sleep(coalesce(current_setting('test.pause', true), '0')::float);
    RETURN btint4cmp($1, $2);
END $$;
CREATE OPERATOR CLASS slow FOR TYPE int USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 slow(int, int);
CREATE TABLE kept WITH (fillfactor = 10, autovacuum_enabled = off) AS
    SELECT generate_series(1, 5000) AS a;
CREATE INDEX ON kept (a slow);
DELETE FROM kept WHERE a > 50;
CREATE TABLE dead WITH (autovacuum_enabled = off) AS
    SELECT generate_series(1, 100) AS a;
"""
COSTLY = ["SET vacuum_cost_delay = '100ms'", "SET vacuum_cost_limit = 1"]
AT_WORK = "wait_event IN ('ExecuteGather', 'PgSleep', 'VacuumDelay')"
SLOW = ["SET test.pause = 1"]


@pytest.mark.parametrize(
    ("settings", "statement", "holds"),
    [
        (COSTLY, "VACUUM kept", False),
        (COSTLY, "ANALYZE kept", True),
        (SLOW, "CREATE INDEX CONCURRENTLY ON kept (a slow)", True),
        (SLOW, "CREATE INDEX CONCURRENTLY ON kept (a slow) WHERE a > 1", True),
        (SLOW, "VACUUM FULL kept", True),
    ],
)
def test_who_is_named_is_who_keeps_vacuum_from_its_work(
    each_postgres: Server, settings: list[str], statement: str, *, holds: bool
) -> None:
    with each_postgres.database(template="template0") as url:
        execute(each_postgres, url, MAKE)
        with running(each_postgres, url, settings, statement) as pid:
            assert (str(pid) in named(url)) is holds
            assert keeps_dead_rows(each_postgres, url) is holds


def test_a_parallel_worker_is_not_named_beside_its_leader(postgres: Server) -> None:
    with postgres.database(template="template0") as url:
        settings = ["SET debug_parallel_query = on"]
        with running(postgres, url, settings, "SELECT pg_sleep(600)") as pid:
            poll(lambda: count(postgres, url, f"leader_pid = {pid} AND backend_xmin IS NOT NULL"))
            assert named(url) == [str(pid)]


@contextmanager
def running(server: Server, url: str, settings: list[str], statement: str) -> Iterator[int]:
    """Yield the process that executes it, once it waits among rows; then cancel it."""
    connection = server.connect(url.rpartition("/")[2])
    connection.autocommit = True
    for setting in settings:
        connection.cursor().execute(setting)
    pid = connection.info.backend_pid

    def work() -> None:
        with pytest.raises(psycopg2.errors.QueryCanceled):
            connection.cursor().execute(statement)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        poll(lambda: count(server, url, f"pid = {pid} AND {AT_WORK}"))
        yield pid
    finally:
        connection.cancel()
        thread.join()
        connection.close()


def named(url: str) -> list[str]:
    with db.sessions_of(db.single_engine(url, name="test"))() as session:
        return [one.name for one in horizon.read(session) if one.what == "session"]


def count(server: Server, url: str, condition: str) -> object:
    [said] = execute(server, url, f"SELECT count(*) FROM pg_stat_activity WHERE {condition}")
    return said


def keeps_dead_rows(server: Server, url: str) -> bool:
    execute(server, url, "DELETE FROM dead")
    execute(server, url, "VACUUM dead")
    [left] = execute(server, url, "SELECT pg_relation_size('dead')")
    return bool(left)


def execute(server: Server, url: str, statements: str) -> tuple[object, ...]:
    connection = server.connect(url.rpartition("/")[2])
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(statements)
    row = cursor.fetchone() if cursor.description else ()
    connection.close()
    return row or ()
