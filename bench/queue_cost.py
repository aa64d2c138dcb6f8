"""What a piece of work costs the server: WAL bytes and commits."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.postgres import Server


@dataclass(frozen=True)
class Cost:
    """Bytes of write-ahead log, and committed transactions."""

    wal_bytes: int
    commits: int


def cost_of(server: Server, url: str, work: Callable[[], float]) -> tuple[float, Cost]:
    """Do the work; return what it returned, and what it cost in this database."""
    before = _read(server, url)
    value = work()
    after = _read(server, url)
    return value, Cost(after.wal_bytes - before.wal_bytes, after.commits - before.commits)


def _read(server: Server, url: str) -> Cost:
    connection = server.connect(url.rsplit("/", 1)[1])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_current_wal_insert_lsn() - '0/0', xact_commit"
            " FROM pg_stat_database WHERE datname = current_database()"
        )
        row = cursor.fetchone()
    connection.close()
    if row is None:
        raise RuntimeError("the server knows nothing of its own database")
    return Cost(int(row[0]), int(row[1]))
