"""Rowmill's side of the conversions' bench: a real worker and database, jobs from end to end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from app import queue
from app.storage.keys import source_key
from bench.convert_cases import Case
from tests import make
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.house import House, house_on

CALM = {"ROWMILL_LEASE_SECONDS": "60", "ROWMILL_SWEEP_SECONDS": "15", "ROWMILL_BEAT_SECONDS": "5"}


@dataclass(frozen=True)
class Done:
    """CPU milliseconds a job of the worker and of the database, and how many jobs a second."""

    cpu_ms: float
    database_ms: float
    jobs_a_second: float


@contextmanager
def server() -> Iterator[Server]:
    """Yield a durable server with the schema."""
    started = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        yield started
    finally:
        started.stop()


def through(server: Server, case: Case, place: Path, *, jobs: int, slots: int) -> Done:
    """Convert the case's file so many times, after one time that loads what is loaded once."""
    folder = place / "house"
    folder.mkdir()
    settings = {**CALM, "ROWMILL_SLOTS": str(slots), "ROWMILL_KINDS": case.kind}
    with house_on(server, folder, **settings) as house:
        worker = psutil.Process(house.worker().pid)
        _enqueue(house, case, place, jobs=1)
        _wait(house)
        before, database = _tree_ms(worker), _server_ms(server)
        _enqueue(house, case, place, jobs=jobs)
        began = time.monotonic()
        _wait(house)
        took = time.monotonic() - began
        assert house.count(status="succeeded") == jobs + 1, house.logs()
        return Done(
            cpu_ms=(_tree_ms(worker) - before) / jobs,
            database_ms=(_server_ms(server) - database) / jobs,
            jobs_a_second=jobs / took,
        )


def _enqueue(house: House, case: Case, place: Path, *, jobs: int) -> None:
    content = (place / f"input.{case.source}").read_bytes()
    with house.sessions.begin() as session:
        for _ in range(jobs):
            upload = make.make_upload(session, format=case.source)
            part = house.storage.incoming(upload)
            part.write_bytes(content)
            house.storage.store(part, source_key(upload))
            payload = {"from": case.source, "to": case.target, "options": {}}
            queue.enqueue(session, upload, kind=case.kind, payload=payload, max_attempts=1)


def _wait(house: House) -> None:
    with house.sessions.begin() as session:
        queue.wake(session)
    # Each look is a connection, of whose making the conversion would feel fifty a second.
    poll(lambda: house.count(finished_at=None) == 0, seconds=900, why=house.logs, pause=0.25)


def _tree_ms(worker: psutil.Process) -> float:
    """Return the CPU milliseconds of a worker, its spawner, and all cells that have ended."""
    return 1000 * sum(sum(one.cpu_times()[:4]) for one in [worker, *worker.children()])


def _server_ms(server: Server) -> float:
    root = psutil.Process(server.pid)
    return 1000 * sum(map(_cpu_seconds, [root, *root.children()]))


def _cpu_seconds(process: psutil.Process) -> float:
    with suppress(psutil.NoSuchProcess):  # an autovacuum ends when it likes; its parent counts it
        return sum(process.cpu_times()[:4])
    return 0.0
