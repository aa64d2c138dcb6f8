"""Parts of a running house are killed, frozen and taken away; nothing is lost or done twice."""

import os
import signal

import psutil
import pytest
from sqlalchemy import func, select

from app import queue
from app.models import Event, Job, Worker
from app.states import Move
from tests import make
from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import House, family_of, living
from tests.system.sweeps import MISSES, rounds, row

pytestmark = pytest.mark.system


def test_a_killed_workers_job_is_rescued_by_another(house: House) -> None:
    upload, first, second = house.two_workers()
    cells = family_of(first.pid)
    first.kill()
    poll(lambda: "rescue" in house.moves(upload), why=house.logs)
    assert row(house, first).missed == MISSES
    poll(lambda: not any(living(pid) for pid in cells))
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.losses, job.attempts) == (1, 2)
    assert second.told("worker.lost")
    assert faults(house) == []


@pytest.mark.rounds(50)
def test_a_frozen_workers_late_finish_changes_nothing(house: House) -> None:
    """It is frozen for three leases, and its cell with it."""
    upload, first, _ = house.two_workers()
    job = house.job(upload)
    frozen = [first.pid, *family_of(first.pid)]
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    house.let_go(upload)
    rounds(house, 3 * MISSES)
    house.until("succeeded", upload)
    for pid in reversed(frozen):  # the worker last: its cell may have ended by then
        os.kill(pid, signal.SIGCONT)
    first.told("worker.found_itself_lost")
    first.told("job.lost")
    after = house.job(upload)
    assert after.status == "succeeded"
    assert after.result is not None
    assert str(job.lease_id) not in after.result["storage_key"]
    poll(lambda: faults(house) == [], why=lambda: faults(house))


@pytest.mark.rounds(50)
def test_a_frozen_worker_whose_result_was_published_removes_its_own_file(house: House) -> None:
    """The conversion ends during the freeze of three leases; its file is refused and deleted."""
    upload, first, _ = house.two_workers()
    first.send(signal.SIGSTOP)  # its cell goes on and ends
    house.let_go(upload)
    rounds(house, 3 * MISSES)
    winner = house.until("succeeded", upload)
    first.send(signal.SIGCONT)
    poll(lambda: first.lines("job.lost"), why=house.logs)
    assert house.job(upload).result == winner.result
    poll(lambda: faults(house) == [], why=lambda: faults(house))


@pytest.mark.rounds(50)
def test_sigterm_under_load_gives_jobs_back_uncharged_and_leaves_no_process(house: House) -> None:
    first = house.worker(ROWMILL_SLOTS="4", ROWMILL_GRACE_SECONDS="0.5")
    uploads = [house.upload(how="held") for _ in range(4)]
    for upload in uploads:
        house.until("running", upload)
    children = family_of(first.pid)
    first.send(signal.SIGTERM)
    assert first.wait() == 0
    poll(lambda: not any(living(pid) for pid in children))
    for upload in uploads:
        job = house.job(upload)
        assert (job.status, job.releases) == ("queued", 1)
    with house.sessions() as session:
        assert session.scalar(select(func.count()).select_from(Worker)) == 0
    house.let_go(*uploads)
    house.worker(ROWMILL_SLOTS="4")
    for upload in uploads:
        assert house.until("succeeded", upload).releases == 1
    assert faults(house) == []


def test_a_drain_lets_short_conversions_end_and_beats_meanwhile(house: House) -> None:
    worker = house.worker(ROWMILL_SLOTS="1", ROWMILL_GRACE_SECONDS="100")
    house.worker(ROWMILL_SLOTS="1", ROWMILL_KINDS="image")  # sweeps, and cannot do this kind
    upload = house.upload(how="held")
    house.until("running", upload)
    worker.send(signal.SIGTERM)
    worker.told("worker.draining")
    rounds(house, MISSES + 2)
    house.let_go(upload)
    assert worker.wait() == 0
    job = house.job(upload)
    assert (job.status, job.attempts, job.losses) == ("succeeded", 1, 0)
    assert faults(house) == []


def test_a_second_sigterm_ends_the_grace_at_once(house: House) -> None:
    worker = house.worker(ROWMILL_SLOTS="1", ROWMILL_GRACE_SECONDS="600")
    upload = house.upload(seconds=600)
    house.until("running", upload)
    worker.send(signal.SIGTERM)
    worker.told("worker.draining")
    worker.send(signal.SIGTERM)
    assert worker.wait() == 0
    assert house.job(upload).status == "queued"


def test_a_cancelled_jobs_cell_is_killed_at_the_next_beat(house: House) -> None:
    worker = house.worker(ROWMILL_SLOTS="1")
    upload = house.upload(seconds=600)
    house.until("running", upload)
    with house.sessions.begin() as session:
        queue.lock(session, upload)
        queue.cancel(session, upload)
    poll(lambda: worker.lines("job.lost"), why=house.logs)
    assert house.job(upload).status == "cancelled"
    poll(lambda: not list((house.data / "scratch").glob("*/*/*/")), why=house.logs)
    assert faults(house) == []


def test_a_killed_spawner_is_started_again_and_its_job_runs_again(house: House) -> None:
    worker = house.worker(ROWMILL_SLOTS="1")
    upload = house.upload(how="held")
    house.until("running", upload)
    (spawner,) = psutil.Process(worker.pid).children()
    spawner.kill()
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (2, 0)
    assert worker.popen.poll() is None
    assert worker.told("spawner.started_again")
    assert faults(house) == []


def test_a_converter_that_dies_each_time_stops_at_the_last_attempt(house: House) -> None:
    house.worker()
    upload = house.upload(how="crash")
    job = house.until("failed", upload)
    assert (job.attempts, job.losses) == (3, 0)
    assert job.error is not None
    assert job.error["code"] == "converter_crashed"
    assert faults(house) == []


def test_a_job_whose_worker_is_lost_a_fifth_time_ends_and_says_so(house: House) -> None:
    upload = house.upload(seconds=600)
    with house.sessions.begin() as session:
        for lost in ("w-1", "w-2", "w-3", "w-4"):
            make.make_worker(session, lost, missed=9)
            make.claim_one(session, worker=lost)
            queue.rescue(session, misses=4, backoff_seconds=0)
    busy = house.worker()
    house.until("running", upload)
    idle = house.worker()
    busy.kill()
    job = house.until("failed", upload)
    assert job.losses == 5
    assert job.error is not None
    assert job.error["code"] == "worker_lost"
    assert idle.told("worker.lost")
    assert faults(house) == []


def test_a_dead_workers_scratch_is_cleared_by_another(house: House) -> None:
    first = house.worker(ROWMILL_SLOTS="1")
    upload = house.upload(how="held")
    house.until("running", upload)
    first.kill()
    house.let_go(upload)
    house.worker(ROWMILL_SLOTS="1", ROWMILL_ORPHAN_SECONDS="2")
    house.until("succeeded", upload)
    poll(lambda: len(list((house.data / "scratch").glob("*/*"))) == 1, why=house.logs)


def test_events_tell_one_story_for_each_job(house: House) -> None:
    house.worker(ROWMILL_SLOTS="4")
    uploads = [house.upload(how="null") for _ in range(20)]
    for upload in uploads:
        house.until("succeeded", upload)
    with house.sessions() as session:
        moves = dict(session.execute(select(Event.move, func.count()).group_by(Event.move)).all())
        assert moves == {Move.ENQUEUE: 20, Move.CLAIM: 20, Move.SUCCEED: 20}
        assert session.scalar(select(func.max(Job.attempts))) == 1
    assert faults(house) == []
