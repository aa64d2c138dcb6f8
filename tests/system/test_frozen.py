"""A worker is frozen where it hurts most: almost for a lease, and in the middle of a sweep."""

import signal
from contextlib import closing

import psutil
import psycopg2.extensions
import pytest
from sqlalchemy import text

from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import House, Process
from tests.system.sweeps import rounds, row

pytestmark = pytest.mark.system

MISSES = 10
MISSED = text("UPDATE workers SET missed = :missed WHERE name = :name")
LONG = {"ROWMILL_LEASE_SECONDS": "25", "ROWMILL_SWEEP_SECONDS": "2.5"}
WAITS = """
SELECT client_port FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
AND query LIKE '%expires_at IS NULL%'
"""


def test_a_worker_that_wakes_up_before_its_last_sweep_keeps_its_job(house: House) -> None:
    """Elsewhere a job was taken away while its worker lived, for a heartbeat came late."""
    upload, busy, sweeper = house.two_workers(**LONG)
    busy.send(signal.SIGSTOP)
    with house.sessions.begin() as session:
        session.execute(MISSED, {"name": busy.worker, "missed": MISSES - 2})
    poll(lambda: row(house, busy).missed >= MISSES - 1, why=house.logs)
    sweeper.send(signal.SIGSTOP)  # on a busy machine the last might come before the beat
    busy.send(signal.SIGCONT)
    poll(lambda: row(house, busy).missed == 0, why=house.logs)
    sweeper.send(signal.SIGCONT)
    rounds(house, 1)
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert faults(house) == []


def test_a_sweeper_that_is_frozen_in_the_middle_holds_nothing_and_others_sweep(
    house: House,
) -> None:
    """Elsewhere the sweep was one transaction, or a job, and everything stood still with it."""
    house.way = ""  # the sweeper is found by its own end of a connection
    both = [house.worker(ROWMILL_SLOTS="1") for _ in range(2)]
    with closing(house.server.connect(house.url.rpartition("/")[2])) as stranger:
        stranger.cursor().execute("LOCK TABLE uploads IN EXCLUSIVE MODE")
        sweeper = _who_waits(house, both)
        sweeper.send(signal.SIGSTOP)
        stranger.rollback()  # what it has begun ends; it hears of no end, and does none of the rest
    rounds(house, 1)
    poll(lambda: row(house, sweeper).lost_at is not None, why=house.logs)
    house.until("succeeded", house.upload(how="null"))
    sweeper.send(signal.SIGCONT)
    sweeper.told("worker.found_itself_lost")
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
