"""A PostgreSQL of which one folder lies on a small disk of its own, and what fills that."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2
import psycopg2.extensions

from tests.chaos import disk
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.house import living

# Rows as short as they come: when none of these fits into a table, nothing does.
_ROWS = (
    "INSERT INTO uploads (id, name) VALUES (gen_random_uuid(), '')",
    """
    INSERT INTO jobs (upload_id, number, kind, payload)
    SELECT id, (random() * 1e9)::int, 'none', '{}' FROM uploads LIMIT 1
    """,
    "INSERT INTO events (job_id, move, attempt) VALUES (0, 'enqueue', 0)",
)
# What a full disk says, for machines on which nobody may have a disk to fill.
_NOTHING_GROWS = """
CREATE FUNCTION grows_not() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END $$;
"""
_TABLES = ("uploads", "jobs", "events")


@dataclass(frozen=True)
class Cramped:
    """A server and the disk that one of its folders lies on."""

    server: Server
    disk: Path

    @contextmanager
    def full_of_rows(self, database: str) -> Iterator[None]:
        """Let no table grow, nor take what little room its last page has."""
        with closing(self.server.connect(database)) as session, self._full():
            if disk.is_small(self.disk):
                _take_what_is_left(session)
            else:
                _forbid_to_grow(session)
            yield
            session.rollback()
            session.cursor().execute("DROP FUNCTION IF EXISTS grows_not CASCADE")
            session.commit()

    @contextmanager
    def full_of_log(self) -> Iterator[None]:
        """Let the write-ahead log end where its last file does: the server dies of it."""
        with self._full():
            if not disk.is_small(self.disk):
                self.server.halt()
            poll(self._has_died_of_it)
            self.server.halt()  # it is waited for, as any that has ended
            yield

    def _full(self) -> contextlib.AbstractContextManager[None]:
        # Never this machine's own disk, on which everybody else writes.
        return disk.full(self.disk) if disk.is_small(self.disk) else contextlib.nullcontext()

    def _has_died_of_it(self) -> bool:
        try:
            with closing(self.server.connect()) as session:
                session.autocommit = True
                session.cursor().execute("SELECT pg_switch_wal()")
        except psycopg2.Error:
            return not living(self.server.pid)
        return False


@contextmanager
def cramped(folder: str) -> Iterator[Cramped]:
    """Yield a server that keeps `folder` of its data, base or pg_wal, on a small disk."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        with disk.small_disk() as small:
            if disk.is_small(small):
                server.halt("fast")
                subprocess.run(["cp", "-a", server.data / folder, small / folder], check=True)
                shutil.rmtree(server.data / folder)
                (server.data / folder).symlink_to(small / folder)
                server.start()
            yield Cramped(server, small)
    finally:
        server.stop()


def _take_what_is_left(session: psycopg2.extensions.connection) -> None:
    """Put rows that nobody sees, for they are never committed, into every last page."""
    cursor = session.cursor()
    for row in _ROWS:
        try:
            while True:
                cursor.execute(f"SAVEPOINT one; {row}")
        except psycopg2.errors.DiskFull:
            cursor.execute("ROLLBACK TO one")


def _forbid_to_grow(session: psycopg2.extensions.connection) -> None:
    session.cursor().execute(_NOTHING_GROWS)
    for table in _TABLES:
        session.cursor().execute(
            f"CREATE TRIGGER grows_not BEFORE INSERT ON {table} EXECUTE FUNCTION grows_not()"
        )
    session.commit()
