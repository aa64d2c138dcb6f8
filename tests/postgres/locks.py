"""Two who want the first row of a line at once: with FOR UPDATE, and with SKIP LOCKED besides."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import psycopg2.extensions

from tests.polling import poll
from tests.postgres import Server

HEAD = "SELECT id FROM line WHERE ready ORDER BY id LIMIT 1 FOR UPDATE"
WAITS = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = %s"


@dataclass(frozen=True)
class Second:
    """What the second one met: whether it had to wait for the first, and the row that it got.

    Rows 1 and 2 are ready; the first one holds 1, takes it out of the line and commits.
    """

    waited: bool
    got: int | None


def try_out(server: Server, database: str, *, skips: bool) -> Second:
    """Let a second session ask for the head while a first one holds it."""
    statement = f"{HEAD} SKIP LOCKED" if skips else HEAD
    with _line(server, database) as (first, second), ThreadPoolExecutor(1) as pool:
        assert _row(first, HEAD) == 1
        asking = pool.submit(_row, second, statement)
        waits = partial(_waits, server, database, second.info.backend_pid)
        poll(lambda: asking.done() or waits())
        waited = not asking.done()
        first.cursor().execute("UPDATE line SET ready = false WHERE id = 1")
        first.commit()
        return Second(waited, asking.result(30))


@contextmanager
def _line(
    server: Server, database: str
) -> Iterator[tuple[psycopg2.extensions.connection, psycopg2.extensions.connection]]:
    first, second = server.connect(database), server.connect(database)
    try:
        first.cursor().execute(
            "CREATE TABLE line AS SELECT id, true AS ready FROM generate_series(1, 2) AS id"
        )
        first.commit()
        yield first, second
    finally:
        first.close()
        second.close()


def _row(connection: psycopg2.extensions.connection, statement: str) -> int | None:
    cursor = connection.cursor()
    cursor.execute(statement)
    row = cursor.fetchone()
    return row[0] if row else None


def _waits(server: Server, database: str, pid: int) -> bool:
    looking = server.connect(database)
    try:
        cursor = looking.cursor()
        cursor.execute(WAITS, [pid])
        row = cursor.fetchone()
        return bool(row and row[0])
    finally:
        looking.close()
