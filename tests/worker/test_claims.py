"""A slot that becomes free gets its next job by the statement that records, if it may."""

import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, text

from app import db
from app.queue import Claimed
from app.settings import Settings
from tests import make
from tests.polling import poll
from tests.worker.desks import Work, desk_of, succeed
from worker import desk as desks
from worker.attempt import Control
from worker.outcome import Broken, Converted, Refused
from worker.report import HandIn, Report


def test_a_slot_gets_its_next_job_by_the_statement_that_records(
    database_url: str, sessions: db.Sessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "LINGER_SECONDS", 60.0)  # however late the outcome comes
    queued(sessions, 3)
    done = threading.Semaphore(0)

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        succeed(job, control, hand_in)
        done.release()

    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        running.run_until(after(done, 3))
    assert together(sessions) == [["claim"], *[["claim", "succeed"]] * 2, ["succeed"]]


def test_a_desk_that_drains_records_and_claims_nothing(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    queued(sessions, 2)
    with desk_of(database_url, tmp_path, settings=Settings(slots=1)) as running:

        def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
            running.desk.drain()
            succeed(job, control, hand_in)

        running.slots._work = work
        running.desk.run()
    assert together(sessions) == [["claim"], ["succeed"]]


def test_a_desk_that_does_not_listen_yet_records_first(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    """A job that came between the claim and the LISTEN would lie there until the next beat."""
    queued(sessions, 2)
    let_go = threading.Event()
    work = until_let_go(let_go)
    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        while running.slots.free or running.seat.is_open:
            running.desk.turn()
        let_go.set()
        poll(lambda: bool(running.slots._outbox))
        running.desk.turn()
        assert together(sessions) == [["claim"], ["succeed"], ["claim"]]
        assert running.seat.hears


def test_after_a_breakdown_the_claim_waits_for_what_the_record_says(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    """The storage may be away: to claim on would only repeat it."""
    queued(sessions, 2)

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(Report(job, Broken("storage_unavailable"), pause=True))

    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        while running.slots.free:
            running.desk.turn()
        poll(lambda: bool(running.slots._outbox))
        running.desk.turn()
    assert together(sessions) == [["claim"], ["retry"]]


def test_a_poisoned_result_costs_the_others_nothing(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    queued(sessions, 3)
    done = threading.Semaphore(0)
    poison = [{"storage_key": "results/none", "facts": "a\x00b"}]

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        if poison:
            hand_in(Report(job, Converted(), poison.pop()))
        else:
            succeed(job, control, hand_in)
        done.release()

    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        running.run_until(after(done, 3))
    with sessions() as session:
        found = session.scalars(text("SELECT status FROM jobs ORDER BY status")).all()
    assert found == ["failed", "succeeded", "succeeded"]


@pytest.mark.parametrize("outcome", [Converted(), Refused("converter_crashed")])
def test_a_desk_looks_from_where_it_stopped_and_each_sweep_from_the_start(
    database_url: str, sessions: db.Sessions, tmp_path: Path, outcome: Converted | Refused
) -> None:
    """By the statement that records, and by the one that only claims."""
    queued(sessions, 3)
    done, late, order = threading.Semaphore(0), [0.0], []

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        order.append(job.job_id)
        if len(order) == 1:  # the fourth job appears, before all others in the line
            with sessions.begin() as session:
                make.make_job(session, run_after=func.now() - timedelta(days=1))
        if len(order) == 2:
            late[0] = running.desk._settings.sweep_seconds
        hand_in(Report(job, outcome, {"storage_key": "results/none", "facts": {}}))
        done.release()

    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        running.desk._claims._floor._clock = lambda: time.monotonic() + late[0]
        running.run_until(after(done, 4))
    assert order == [1, 2, 4, 3]


def test_a_full_look_in_vain_has_looked_at_the_kind_that_was_recorded(
    database_url: str, sessions: db.Sessions, tmp_path: Path
) -> None:
    queued(sessions, 1)
    let_go = threading.Event()
    work = until_let_go(let_go)
    with desk_of(database_url, tmp_path, work=work, settings=Settings(slots=1)) as running:
        while running.slots.free:
            running.desk.turn()
        floor = running.desk._claims._floor
        floor._clock = lambda: time.monotonic() + running.desk._settings.sweep_seconds
        let_go.set()
        poll(lambda: bool(running.slots._outbox))
        running.desk.turn()
        assert not running.slots.running
    assert floor._floors.keys() == {"misbehave"}


def test_an_idle_desk_looks_each_sweep_however_seldom_it_beats(
    database_url: str, tmp_path: Path
) -> None:
    settings = Settings(beat_seconds=1000)
    with desk_of(database_url, tmp_path, settings=settings) as running:
        running.desk.turn()
        claims, soon = running.desk._claims, time.monotonic() + settings.sweep_seconds
        assert not claims.look
        assert 0 < claims.poll_due <= soon


def queued(sessions: db.Sessions, count: int) -> None:
    with sessions.begin() as session:
        for _ in range(count):
            make.make_job(session)


def together(sessions: db.Sessions) -> list[list[str]]:
    """Return the workers' moves, each list made by one transaction, in their order."""
    moves = text(
        "SELECT array_agg(move ORDER BY move) FROM events WHERE move <> 'enqueue'"
        " GROUP BY xmin::text ORDER BY min(id)"
    )
    with sessions() as session:
        return list(session.scalars(moves))


def after(calls: threading.Semaphore, count: int) -> threading.Event:
    """Return an event that is set when so many calls have come."""
    event = threading.Event()

    def wait() -> None:
        for _ in range(count):
            calls.acquire()
        event.set()

    threading.Thread(target=wait, daemon=True).start()
    return event


def until_let_go(let_go: threading.Event) -> Work:
    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        let_go.wait()
        succeed(job, control, hand_in)

    return work
