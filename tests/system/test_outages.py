"""The database goes away in the middle of conversions; finished work is not done again."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import faults
from tests.system.house import FEW, House, Process, house_on

pytestmark = pytest.mark.system

OUTAGE_SECONDS = 61.0


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this test's own, which it may stop; commits are durable here."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    yield server
    server.stop()


@pytest.fixture
def house(server: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(server, tmp_path, **FEW) as house:
        yield house


def test_after_a_minute_without_database_all_is_recorded_at_the_first_attempt(
    house: House, server: Server
) -> None:
    """The outage is thirty times as long as a lease, and the conversions end meanwhile."""
    workers = [house.worker(ROWMILL_SLOTS="3") for _ in range(2)]
    uploads = running(house, 6, seconds=4)
    server.halt()
    begun = time.monotonic()
    poll(lambda: time.monotonic() - begun > OUTAGE_SECONDS, seconds=OUTAGE_SECONDS + 5)
    server.start()
    for upload in uploads:
        job = house.until("succeeded", upload)
        assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    for worker in workers:
        assert worker.popen.poll() is None
        assert 1 <= len(worker.lines("database.away")) <= OUTAGE_SECONDS / 10 + 1
        assert len(worker.log.read_text().splitlines()) < 20
        assert sum(seconds > OUTAGE_SECONDS / 2 for seconds in outages(worker)) == 1
    assert faults(house) == []


def test_postgres_may_crash_in_the_middle_of_ten_conversions(house: House, server: Server) -> None:
    house.worker(ROWMILL_SLOTS="10")
    uploads = running(house, 10, seconds=2)
    server.halt("immediate")
    server.start()
    for upload in uploads:
        assert house.until("succeeded", upload).attempts == 1
    assert faults(house) == []


def test_a_worker_that_slept_through_an_outage_is_not_lost_at_once(
    house: House, server: Server
) -> None:
    """A clock would call it dead at the return; the sweeps that it missed are too few."""
    house.settings |= {"ROWMILL_LEASE_SECONDS": "8", "ROWMILL_SWEEP_SECONDS": "2"}
    upload, busy, _ = house.two_workers(seconds="6")
    server.halt()
    busy.send(signal.SIGSTOP)
    begun = time.monotonic()
    poll(lambda: time.monotonic() - begun > 9)
    server.start()
    back = time.monotonic()
    poll(lambda: time.monotonic() - back > 3)
    busy.send(signal.SIGCONT)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert faults(house) == []


def test_a_worker_that_starts_without_database_waits_for_it(house: House, server: Server) -> None:
    server.halt()
    process = house.start_worker()
    poll(lambda: process.lines("database.away"), why=house.logs)
    server.start()
    upload = house.upload(how="null")
    house.until("succeeded", upload)


def test_a_drain_without_database_ends_and_the_job_runs_elsewhere(
    house: House, server: Server
) -> None:
    worker: Process = house.worker(ROWMILL_SLOTS="1")
    (upload,) = running(house, 1, seconds=600)
    server.halt()
    worker.send(signal.SIGTERM)
    assert worker.wait(40) == 0
    server.start()
    other = house.worker(ROWMILL_SLOTS="1")
    poll(lambda: house.job(upload).locked_by == other.worker, why=house.logs)
    assert house.moves(upload).count("rescue") == 1


def outages(worker: Process) -> list[float]:
    """How long the database was away, each time that it came back.

    A server that stops ends its sessions one by one, so one may answer after another is gone.
    """
    return [json.loads(line)["seconds"] for line in worker.lines("database.back")]


def running(house: House, count: int, *, seconds: float) -> list[UUID]:
    uploads = [house.upload(seconds=seconds) for _ in range(count)]
    for upload in uploads:
        house.until("running", upload)
    return uploads
