"""A worker is frozen where it hurts most: almost for a lease, and in the middle of a sweep."""

import signal
from contextlib import closing
from datetime import datetime

import psutil
import psycopg2.extensions
import pytest
from sqlalchemy import select

from app.models import House as HouseRow
from app.models import Worker
from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import House, Process

pytestmark = pytest.mark.system

MISSES = 10
LONG = {"ROWMILL_LEASE_SECONDS": "6", "ROWMILL_SWEEP_SECONDS": "0.6"}
WAITS = """
SELECT client_port FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
AND query LIKE '%expires_at IS NULL%'
"""


def test_a_worker_that_wakes_up_before_its_last_sweep_keeps_its_job(house: House) -> None:
    """Elsewhere a job was taken away while its worker lived, for a heartbeat came late."""
    upload, busy, _ = house.two_workers(seconds="8", **LONG)
    busy.send(signal.SIGSTOP)
    poll(lambda: _row(house, busy).missed == MISSES - 1, why=house.logs)
    busy.send(signal.SIGCONT)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert faults(house) == []


def test_a_sweeper_that_is_frozen_in_the_middle_holds_nothing_and_others_sweep(
    house: House,
) -> None:
    """Elsewhere the sweep was one transaction, or a job, and everything stood still with it."""
    both = [house.worker(ROWMILL_SLOTS="1") for _ in range(2)]
    with closing(house.server.connect(house.url.rpartition("/")[2])) as stranger:
        stranger.cursor().execute("LOCK TABLE uploads IN EXCLUSIVE MODE")
        sweeper = _who_waits(house, both)
        sweeper.send(signal.SIGSTOP)
        stranger.rollback()  # what it has begun ends; it hears of no end, and does none of the rest
    frozen_at = _swept_at(house)
    poll(lambda: _swept_at(house) > frozen_at, why=house.logs)
    poll(lambda: _row(house, sweeper).lost_at is not None, why=house.logs)
    house.until("succeeded", house.upload(how="null"))
    sweeper.send(signal.SIGCONT)
    poll(lambda: sweeper.lines("worker.found_itself_lost"), why=house.logs)
    poll(lambda: faults(house) == [], why=lambda: faults(house))


def _who_waits(house: House, workers: list[Process]) -> Process:
    """Return the worker whose sweep waits for the table, found by its end of the connection."""
    with closing(house.server.connect(house.url.rpartition("/")[2])) as watcher:
        watcher.autocommit = True
        port = poll(lambda: _port(watcher), why=house.logs)
    [sweeper] = [worker for worker in workers if port in _ports(worker)]
    return sweeper


def _port(watcher: psycopg2.extensions.connection) -> int | None:
    cursor = watcher.cursor()
    cursor.execute(WAITS)
    found = cursor.fetchone()
    return None if found is None else int(found[0])


def _ports(worker: Process) -> set[int]:
    return {one.laddr.port for one in psutil.Process(worker.pid).net_connections() if one.laddr}


def _swept_at(house: House) -> datetime:
    with house.sessions() as session:
        return session.scalars(select(HouseRow.swept_at)).one()


def _row(house: House, worker: Process) -> Worker:
    with house.sessions() as session:
        return session.scalars(select(Worker).where(Worker.name == worker.worker)).one()
