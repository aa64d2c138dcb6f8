"""The desk sleeps when there is nothing to do, and gives back what it cannot end."""

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from app import db, queue
from app.failures import failure
from app.models import Event, House, Job, Worker
from app.queue import Claimed
from app.settings import Settings
from tests import make
from tests.polling import poll
from tests.worker.desks import Spawned, Work, desk_of, succeed
from worker import desk as desks
from worker import drain
from worker.attempt import Control
from worker.nursery import SHORTEST_PAUSE_SECONDS
from worker.outcome import Broken, Interrupted
from worker.report import HandIn, Report
from worker.wake import Wake


def queued(sessions: db.Sessions, count: int = 1) -> list[Job]:
    with sessions.begin() as session:
        return [make.make_job(session) for _ in range(count)]


def row(sessions: db.Sessions, job: Job) -> Job:
    with sessions() as session:
        return make.job_of(session, job.upload_id)


def until_let_go(let_go: threading.Event) -> Work:
    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        let_go.wait()
        succeed(job, control, hand_in)

    return work


def test_an_idle_desk_sleeps(database_url: str, tmp_path: Path) -> None:
    with desk_of(database_url, tmp_path) as running:
        running.run_for(2)
    assert running.turns < 20


def test_a_desk_whose_kind_is_full_sleeps(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    """One slot is free, but its kind has no room left."""
    queued(sessions, 2)
    let_go = threading.Event()
    timer = threading.Timer(2, let_go.set)
    timer.start()
    work = until_let_go(let_go)
    with desk_of(database_url, tmp_path, work=work, rooms={"misbehave": 1}) as running:
        running.run_for(1.5)
    assert running.turns < 30


def test_a_desk_without_a_spawner_sleeps_claims_nothing_and_tries_again(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    (job,) = queued(sessions)
    began = time.monotonic()
    with desk_of(database_url, tmp_path, spawner=Spawned(lives=False)) as running:
        running.run_while(lambda: running.spawner.starts < 3)
    pauses = running.spawner.starts - 1  # the first of half a second, then each twice as long
    assert time.monotonic() - began >= SHORTEST_PAUSE_SECONDS * (2**pauses - 1)
    assert running.turns < 30 * (time.monotonic() - began)
    assert row(sessions, job).status == "queued"


@pytest.mark.parametrize("outcome", [Interrupted(), Broken("storage_unavailable")])
def test_after_an_attempt_that_could_not_begin_it_pauses(
    database_url: str, sessions: db.Sessions, tmp_path: Path, outcome: Interrupted | Broken
) -> None:
    """Without the pause a job would be claimed and given back as fast as the database can."""
    queued(sessions)
    tries: list[float] = []

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        tries.append(time.monotonic())
        hand_in(Report(job, outcome, pause=True))

    settings = Settings(slots=1, backoff_seconds=0)
    with desk_of(database_url, tmp_path, work=work, settings=settings) as running:
        running.run_while(lambda: len(tries) < 2)
    assert tries[1] - tries[0] >= SHORTEST_PAUSE_SECONDS


def test_a_beat_that_is_due_comes_before_a_claim(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    """After a freeze a claim would come first to a sweep, which counts this worker as silent."""
    let_go = threading.Event()
    with desk_of(database_url, tmp_path, work=until_let_go(let_go)) as running:
        running.desk.turn()
        queued(sessions)
        running.desk._pulse.due, running.desk._claims.look = 0.0, True
        running.desk.turn()
        with sessions() as session:
            beaten = session.scalars(select(Worker.heartbeat)).one()
            claimed = session.scalars(select(Event.at).where(Event.move == "claim")).one()
        let_go.set()
    assert beaten < claimed


def test_what_a_sweep_rescued_is_claimed_in_the_next_turn(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    """The desk has looked for jobs and found none; nobody calls it."""
    with sessions.begin() as session:
        make.make_worker(session, "w-silent")
        job = make.make_job(session, status="running", worker="w-silent")
    let_go = threading.Event()
    settings = Settings(slots=2, beat_seconds=3600, sweep_seconds=3600, backoff_seconds=0)
    work = until_let_go(let_go)
    with desk_of(database_url, tmp_path, work=work, settings=settings) as running:
        running.desk.turn()
        assert not running.desk._claims.look
        with sessions.begin() as session:
            session.execute(update(Worker).where(Worker.name == "w-silent").values(missed=100))
            session.execute(update(House).values(swept_at=text("now() - interval '1 day'")))
        running.desk._rounds._due = 0.0
        while not running.desk._rounds.freed:
            running.desk.turn()
        running.desk.turn()
        after = row(sessions, job)
        let_go.set()
    assert (after.status, after.losses, after.attempts) == ("running", 1, 2)


def test_a_stuck_slot_does_not_keep_a_worker_from_ending(
    database_url: str, sessions: db.Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain, "STUCK_SECONDS", 0.5)
    (job,) = queued(sessions)
    let_go = threading.Event()
    settings = Settings(slots=1, grace_seconds=0.2)
    work = until_let_go(let_go)
    with desk_of(database_url, tmp_path, work=work, settings=settings) as running:
        running.run_while(lambda: not running.slots.running)
        let_go.set()  # it has ended before
    after = row(sessions, job)
    assert (after.status, after.releases) == ("queued", 1)


def test_a_slot_that_is_stuck_beyond_every_limit_is_given_up_and_charged(
    database_url: str, sessions: db.Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "STUCK_SECONDS", 0.2)
    monkeypatch.setattr(drain, "STUCK_SECONDS", 0.2)
    (job,) = queued(sessions)
    let_go = threading.Event()
    settings = Settings(slots=1, time_limit_seconds=0.2, grace_seconds=0, beat_seconds=0.2)
    with desk_of(database_url, tmp_path, work=until_let_go(let_go), settings=settings) as running:
        running.run_while(lambda: row(sessions, job).error is None)
        assert (running.slots.usable, running.slots.free) == (0, 0)
        let_go.set()
        poll(lambda: running.slots.reports() == [] and running.slots.usable == 1)
    after = row(sessions, job)
    assert (after.status, after.attempts, after.releases) == ("queued", 1, 0)
    assert after.error == failure("stalled")


def test_an_outcome_whose_row_is_locked_waits_and_is_recorded(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    (job,) = queued(sessions)
    claimed, recorded = threading.Event(), threading.Event()
    locked = threading.Event()

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        claimed.set()
        locked.wait(60)
        succeed(job, control, hand_in)
        recorded.set()

    def lock() -> None:
        claimed.wait(60)
        with sessions.begin() as stranger:
            stranger.execute(text("SELECT FROM jobs FOR UPDATE"))
            locked.set()
            stranger.execute(text("SELECT pg_sleep(1)"))

    threading.Thread(target=lock, daemon=True).start()
    with desk_of(database_url, tmp_path, work=work) as running:
        running.run_until(recorded)
    assert row(sessions, job).status == "succeeded"
    assert running.turns < 60


def test_a_call_that_came_during_a_statement_ends_the_sleep(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    settings = Settings(slots=2, beat_seconds=20)
    with desk_of(database_url, tmp_path, settings=settings) as running:
        running.desk.turn()
        rounds, idle = running.desk._rounds, threading.Event()
        rounds._janitor._orders.put(idle.set)  # behind the look around of the first round
        while not idle.is_set() or rounds.due < time.monotonic() + 8:
            running.desk.turn()
        running.desk._wake = Wake()  # one that no janitor and no slot knows
        with sessions.begin() as session:
            queue.wake(session)
        with running.seat.single() as session:
            session.execute(text("SELECT pg_sleep(0.1)"))
        began = time.monotonic()
        running.desk._rest()
        assert time.monotonic() - began < 5
        assert running.desk._claims.look


def test_a_full_disk_for_the_scratch_folder_does_not_end_the_worker(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    (job,) = queued(sessions)
    done = threading.Event()
    tries: list[str] = []

    def move_in(name: str) -> Path:
        tries.append(name)
        if len(tries) < 3:
            raise OSError(28, "No space left on device")
        return tmp_path / "mine"

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        succeed(job, control, hand_in)
        done.set()

    with desk_of(database_url, tmp_path, work=work, move_in=move_in) as running:
        running.run_until(done)
    assert row(sessions, job).status == "succeeded"
    assert len(set(tries)) == 1, "a new name for each try would leave rows and folders behind"
