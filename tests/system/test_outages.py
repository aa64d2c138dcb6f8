"""The database goes away in the middle of conversions; finished work is not done again."""

import json
import signal
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from tests.long import TIMES
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import faults
from tests.system.house import FEW, SHORT, House, Process, house_on
from tests.system.sweeps import rounds, row

pytestmark = pytest.mark.system

OUTAGE_SECONDS = 61.0
BEAT_SECONDS = float(SHORT["ROWMILL_BEAT_SECONDS"])
MANY = 10 if TIMES == 1 else 30
# Until work goes on once the server stands: a pause between two tries is seven at most.
MOST_BEATS = 40


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server of these tests' own, which each may stop; commits are durable here."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    yield server
    server.stop()


@pytest.fixture
def server(own_server: Server) -> Iterator[Server]:
    yield own_server
    if not own_server.stands:
        own_server.start()


@pytest.fixture
def house(server: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(server, tmp_path, **FEW) as house:
        yield house


def test_after_a_minute_without_database_all_is_recorded_at_the_first_attempt(
    house: House, server: Server
) -> None:
    """The outage is thirty times as long as a lease, and the conversions end meanwhile."""
    workers = [house.worker(ROWMILL_SLOTS="3") for _ in range(2)]
    uploads = running(house, 6)
    begun = time.monotonic()
    server.halt()
    house.let_go(*uploads)
    poll(lambda: time.monotonic() - begun > OUTAGE_SECONDS, seconds=OUTAGE_SECONDS + 60)
    server.start()
    started = datetime.now(UTC)
    for upload in [*uploads, house.upload(how="null")]:
        job = house.until("succeeded", upload)
        assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    seconds = time.monotonic() - begun
    for worker in workers:
        assert worker.popen.poll() is None
        assert 1 <= len(worker.lines("database.away")) <= seconds / 10 + 1
        assert len(worker.log.read_text().splitlines()) < 20
        if not house.way:  # a pooler ends no session: what is asked of it meets silence first
            poll(lambda worker=worker: long_outages(worker) == 1, why=house.logs)  # type: ignore[misc]
        idle = (resumed(worker) - started).total_seconds()
        sys.stdout.write(f"{worker.log.name} went on {idle:.1f} s after the server's start\n")
        assert idle < MOST_BEATS * BEAT_SECONDS
    assert faults(house) == []


@pytest.mark.rounds(20)
def test_postgres_may_crash_in_the_middle_of_many_conversions(house: House, server: Server) -> None:
    house.worker(ROWMILL_SLOTS=str(MANY))
    uploads = running(house, MANY)
    server.halt("immediate")
    server.start()
    house.let_go(*uploads)
    for upload in uploads:
        assert house.until("succeeded", upload).attempts == 1
    assert faults(house) == []


def test_a_worker_that_slept_through_an_outage_is_not_lost_at_once(
    house: House, server: Server
) -> None:
    """A clock would call it dead at the return; the sweeps that it missed are too few."""
    house.settings |= {"ROWMILL_LEASE_SECONDS": "8", "ROWMILL_SWEEP_SECONDS": "2"}
    upload, busy, sweeper = house.two_workers()
    server.halt()
    busy.send(signal.SIGSTOP)
    begun = time.monotonic()
    poll(lambda: time.monotonic() - begun > 9)
    server.start()
    rounds(house, 2)  # when the second begins, the first has rescued whom it would
    sweeper.send(signal.SIGSTOP)  # on a busy machine the fourth might come before the beat
    busy.send(signal.SIGCONT)
    poll(lambda: row(house, busy).missed == 0, why=house.logs)
    sweeper.send(signal.SIGCONT)
    rounds(house, 1)
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert faults(house) == []


def test_a_worker_that_starts_without_database_waits_for_it(house: House, server: Server) -> None:
    server.halt()
    process = house.start_worker()
    process.told("database.away")
    server.start()
    upload = house.upload(how="null")
    house.until("succeeded", upload)


def test_a_drain_without_database_ends_and_the_job_runs_elsewhere(
    house: House, server: Server
) -> None:
    worker: Process = house.worker(ROWMILL_SLOTS="1")
    (upload,) = running(house, 1)
    server.halt()
    worker.send(signal.SIGTERM)
    assert worker.wait(120) == 0
    server.start()
    other = house.worker(ROWMILL_SLOTS="1")
    poll(lambda: house.job(upload).locked_by == other.worker, why=house.logs)
    assert house.moves(upload).count("rescue") == 1


def long_outages(worker: Process) -> int:
    """Return how often the worker said that the database was away for long.

    A server that stops ends its sessions one by one, so one may answer after another is gone.
    """
    seconds = [json.loads(line)["seconds"] for line in worker.lines("database.back")]
    return sum(one > OUTAGE_SECONDS / 2 for one in seconds)


def resumed(worker: Process) -> datetime:
    """Return when the worker had the database back, by its own log."""
    [*_, line] = worker.lines("database.back")
    return datetime.fromisoformat(json.loads(line)["at"])


def running(house: House, count: int) -> list[UUID]:
    """Return so many uploads whose conversions go on until they are let go."""
    uploads = [house.upload(how="held") for _ in range(count)]
    for upload in uploads:
        house.until("running", upload)
    return uploads
