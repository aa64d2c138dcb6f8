"""States in which a session can be left, and whether each keeps VACUUM from its work."""

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import psycopg2.extensions

from tests.polling import poll
from tests.postgres import Server

DEAD = 200_000


@dataclass(frozen=True)
class State:
    """`statements` open it; with `in_flight` the last one is still being executed."""

    name: str
    statements: Sequence[str] = ()
    in_flight: bool = False
    elsewhere: bool = False
    holds: bool = False


BEGIN = "BEGIN"
READ = "SELECT count(*) FROM bystander"
WRITE = "UPDATE bystander SET a = a"
STATES = (
    State("nobody (the control)"),
    State("READ COMMITTED, bare BEGIN", [BEGIN]),
    State("READ COMMITTED, SELECT, then idle", [BEGIN, READ]),
    State("READ COMMITTED, UPDATE, then idle", [BEGIN, WRITE], holds=True),
    State(
        "READ COMMITTED, statement in flight",
        [BEGIN, "SELECT pg_sleep(600)"],
        in_flight=True,
        holds=True,
    ),
    State(
        "READ COMMITTED, open cursor",
        [BEGIN, "DECLARE c CURSOR FOR SELECT * FROM bystander", "FETCH 1 FROM c"],
        holds=True,
    ),
    State(
        "REPEATABLE READ, SELECT, then idle",
        ["BEGIN ISOLATION LEVEL REPEATABLE READ", READ],
        holds=True,
    ),
    State(
        "SERIALIZABLE, SELECT, then idle",
        ["BEGIN ISOLATION LEVEL SERIALIZABLE", READ],
        holds=True,
    ),
    State("another database, UPDATE, then idle", [BEGIN, WRITE], elsewhere=True),
)


@dataclass(frozen=True)
class Seen:
    """What VACUUM said of a table that the blocker never touched, and what the blocker shows.

    `query`, the blocker's last one, `backend_xid` and `backend_xmin` are those of
    pg_stat_activity; `cutoff` is VACUUM's "removable cutoff", None where this version does not
    print it.
    """

    removed: int
    kept: int
    cutoff: int | None
    query: str
    backend_xid: int | None
    backend_xmin: int | None
    milliseconds: float


def try_out(server: Server, state: State, database: str, other: str) -> Seen:
    """Leave a session in the state, delete rows elsewhere, VACUUM there, and look."""
    with ExitStack() as stack:
        mine = stack.enter_context(_connected(server, database))
        _prepare(mine)
        blocker = stack.enter_context(_connected(server, other if state.elsewhere else database))
        if state.elsewhere:
            _prepare(blocker)
        stack.enter_context(_left_in(blocker, state, mine))
        _run(mine, "DELETE FROM victim")
        began = time.perf_counter()
        _run(mine, "VACUUM (VERBOSE) victim")
        took = (time.perf_counter() - began) * 1000
        said = "\n".join(mine.notices)
        return _read(said, _shown(mine, blocker.info.backend_pid), took)


@contextmanager
def _connected(server: Server, database: str) -> Iterator[psycopg2.extensions.connection]:
    connection = server.connect(database)
    connection.autocommit = True
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _left_in(
    blocker: psycopg2.extensions.connection, state: State, observer: psycopg2.extensions.connection
) -> Iterator[None]:
    *before, last = state.statements or [""]
    for statement in before:
        blocker.cursor().execute(statement)
    if not state.in_flight:
        if last:
            blocker.cursor().execute(last)
        yield
        return
    pid = blocker.info.backend_pid
    runner = threading.Thread(target=_until_cancelled, args=(blocker, last))
    runner.start()
    try:
        poll(lambda: _shown(observer, pid)[2] is not None)
        yield
    finally:
        blocker.cancel()
        runner.join()


def _until_cancelled(blocker: psycopg2.extensions.connection, statement: str) -> None:
    with suppress(psycopg2.extensions.QueryCanceledError):
        blocker.cursor().execute(statement)


def _prepare(connection: psycopg2.extensions.connection) -> None:
    _run(connection, "DROP TABLE IF EXISTS bystander, victim")
    _run(
        connection,
        "CREATE TABLE bystander WITH (autovacuum_enabled = off) AS "
        "SELECT 1 AS a FROM generate_series(1, 100)",
    )
    _run(
        connection,
        "CREATE TABLE victim WITH (autovacuum_enabled = off) AS "
        f"SELECT g AS a FROM generate_series(1, {DEAD}) g",
    )


def _run(connection: psycopg2.extensions.connection, statement: str) -> None:
    connection.cursor().execute(statement)


def _shown(
    connection: psycopg2.extensions.connection, pid: int
) -> tuple[str, int | None, int | None]:
    cursor = connection.cursor()
    cursor.execute(
        "SELECT query, backend_xid::text::bigint, backend_xmin::text::bigint "
        "FROM pg_stat_activity WHERE pid = %s",
        [pid],
    )
    row = cursor.fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def _read(said: str, shown: tuple[str, int | None, int | None], took: float) -> Seen:
    [(removed, kept)] = re.findall(r"tuples: (\d+) removed, \d+ remain, (\d+) are dead", said)[:1]
    cutoff = re.search(r"removable cutoff: (\d+)", said)
    return Seen(
        removed=int(removed),
        kept=int(kept),
        cutoff=int(cutoff[1]) if cutoff else None,
        query=shown[0],
        backend_xid=shown[1],
        backend_xmin=shown[2],
        milliseconds=took,
    )
