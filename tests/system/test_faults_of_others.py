"""Faults that other queues had in public, tried on real processes."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial

import psycopg2
import psycopg2.extensions
import pytest

from tests.polling import poll
from tests.proxy import Proxy, proxy_to
from tests.system.checker import faults
from tests.system.house import House, Process, family_of, living
from tests.system.sweeps import MISSES, rounds

pytestmark = pytest.mark.system

# Polls come far apart, so that what is picked up soon was picked up by a call.
RARE = {
    "ROWMILL_BEAT_SECONDS": "300",
    "ROWMILL_SWEEP_SECONDS": "300",
    "ROWMILL_LEASE_SECONDS": "1200",
}
SOON = 60.0
BRIEF = {  # MISSES sweeps in a lease here, too
    "ROWMILL_BEAT_SECONDS": "0.05",
    "ROWMILL_SWEEP_SECONDS": "0.1",
    "ROWMILL_LEASE_SECONDS": "0.4",
}


@pytest.fixture
def proxy(house: House) -> Iterator[Proxy]:
    with proxy_to(house.server.port) as proxy:
        yield proxy


def test_a_worker_that_comes_back_on_its_host_is_another_one(house: House) -> None:
    """Elsewhere it had its old name, and its old self's jobs seemed to be held by a living one."""
    first = house.worker(ROWMILL_SLOTS="1")
    upload = house.upload(how="held")
    house.until("running", upload)
    first.kill()
    second = house.worker(ROWMILL_SLOTS="1")
    assert second.worker != first.worker
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.losses, job.attempts) == (1, 2)
    assert faults(house) == []


def test_a_conversion_of_many_leases_runs_once(house: House) -> None:
    """Elsewhere a sweep took whatever had run for long for dead.

    With no other worker that sweeps, leases can be short: nobody sweeps who does not beat.
    """
    house.worker(ROWMILL_SLOTS="1", **BRIEF)
    upload = house.upload(how="held")
    house.until("running", upload)
    rounds(house, 10 * MISSES)
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]


def test_a_conversion_outlives_every_session_for_three_leases(house: House) -> None:
    """Elsewhere a job was begun anew, or its worker ended, when its session was."""
    upload, busy, idle = house.two_workers()
    for _ in range(3):
        assert _end_sessions(house)
        rounds(house, MISSES)  # two seconds
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert [worker.popen.poll() for worker in (busy, idle)] == [None, None]
    assert faults(house) == []


def test_a_job_is_given_back_only_when_its_cell_is_dead(house: House) -> None:
    """Elsewhere the row was free while the thread still worked on it."""
    worker = house.worker(ROWMILL_SLOTS="1", ROWMILL_GRACE_SECONDS="0.2")
    upload = house.upload(how="hang")
    house.until("running", upload)
    poll(lambda: len(family_of(worker.pid)) == 2)
    (_, cell) = family_of(worker.pid)
    worker.send(signal.SIGTERM)
    poll(lambda: house.job(upload).status == "queued", why=house.logs)
    assert not living(cell)
    assert worker.wait() == 0


def test_wake_ups_go_on_after_their_session_was_ended_again_and_again(house: House) -> None:
    """Elsewhere nobody listened after the first loss, or each loss left a session behind."""
    house.worker(ROWMILL_SLOTS="1", **RARE)
    watcher = house.server.connect(house.url.rsplit("/", 1)[1])
    watcher.autocommit = True
    for _ in range(10):
        poll(lambda: len(_sessions(watcher)) == 1, why=house.logs)
        ended = _sessions(watcher)
        watcher.cursor().execute("SELECT pg_terminate_backend(%s)", ended)
        poll(partial(_sits_elsewhere, watcher, ended), why=house.logs)
        upload = house.upload(how="null")
        house.until("succeeded", upload, seconds=SOON)
    assert len(_sessions(watcher)) == 1
    watcher.close()


def test_a_worker_that_hears_nothing_obeys_all_the_same(house: House, proxy: Proxy) -> None:
    """Elsewhere a connection that was open on one side only kept it from ending, for hours."""
    worker = house.worker(DATABASE_URL=proxy.url(house.url), ROWMILL_SLOTS="1")
    proxy.silent.set()
    begun = time.monotonic()
    poll(lambda: time.monotonic() - begun > 2)  # by now a beat waits for its answer
    worker.send(signal.SIGTERM)
    assert worker.wait(60) == 0


def test_an_api_whose_database_fell_silent_again_and_again_is_itself_again(
    house: House, proxy: Proxy
) -> None:
    """Elsewhere each silence cost the connections that were open, until none was left."""
    house.api(DATABASE_URL=proxy.url(house.url))
    path = f"/uploads/{house.upload()}"
    with house.client() as client, ThreadPoolExecutor(20) as people:

        def told() -> set[int]:
            """Ask often enough at once that the API opens every seat it may have."""
            return {answer.status_code for answer in people.map(client.get, [path] * 40)}

        for _ in range(5):
            poll(lambda: told() == {200}, why=house.logs)
            proxy.silent.set()
            assert told() == {503}
            proxy.silent.clear()


def test_a_worker_ends_in_time_when_no_seat_is_left_for_its_goodbye(house: House) -> None:
    """Elsewhere a shutdown with 300 idle sessions and an old transaction took 15 minutes."""
    worker = house.worker(ROWMILL_SLOTS="1", ROWMILL_GRACE_SECONDS="0.2")
    upload = house.upload(seconds=600)
    house.until("running", upload)
    with ExitStack() as seats:
        _hold_the_horizon(house, seats)
        _take_all(house, seats)
        worker.send(signal.SIGTERM)

        def has_ended() -> bool:
            _take_all(house, seats)
            return worker.popen.poll() is not None

        poll(has_ended)
    assert worker.wait() == 0
    other: Process = house.worker(ROWMILL_SLOTS="1")
    poll(lambda: house.job(upload).locked_by == other.worker, why=house.logs)


def _end_sessions(house: House) -> list[int]:
    """End every session of the workers that there is now; return their server's processes."""
    with closing(house.server.connect(house.url.rsplit("/", 1)[1])) as watcher:
        watcher.autocommit = True
        ended = poll(lambda: _sessions(watcher), why=house.logs)
        for pid in ended:
            watcher.cursor().execute("SELECT pg_terminate_backend(%s)", (pid,))
    return ended


def _sessions(watcher: psycopg2.extensions.connection) -> list[int]:
    cursor = watcher.cursor()
    cursor.execute(
        "SELECT pid FROM pg_stat_activity "
        "WHERE datname = current_database() AND application_name LIKE 'rowmill worker%'"
    )
    return [row[0] for row in cursor]


def _sits_elsewhere(watcher: psycopg2.extensions.connection, before: list[int]) -> bool:
    return _sessions(watcher) not in ([], before)


def _hold_the_horizon(house: House, seats: ExitStack) -> None:
    """Look at a job in a transaction that nobody ends, and have written in it."""
    sleeper = seats.enter_context(closing(house.server.connect(house.url.rsplit("/", 1)[1])))
    sleeper.set_session(isolation_level="REPEATABLE READ")
    sleeper.cursor().execute("SELECT pg_current_xact_id(), * FROM jobs")


def _take_all(house: House, seats: ExitStack) -> None:
    try:
        while True:
            seats.enter_context(closing(house.server.connect()))
    except psycopg2.OperationalError:
        return
