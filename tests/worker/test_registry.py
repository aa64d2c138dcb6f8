"""A worker's row is entered once, and says what the worker offers now."""

import threading
from dataclasses import replace
from pathlib import Path

from sqlalchemy import select

from app.db import Sessions
from app.models import Worker
from app.queue import Claimed
from tests import make
from tests.polling import poll
from tests.worker.desks import desk_of, succeed
from worker import registry
from worker.attempt import Control
from worker.home import Home
from worker.offers import Offers
from worker.outcome import Interrupted
from worker.report import HandIn, Report

OFFERS = Offers({"image": 2}, {"image": {"png": ["jpg"]}}, sandbox="external")


def rows(sessions: Sessions) -> list[Worker]:
    with sessions() as session:
        return list(session.scalars(select(Worker).order_by(Worker.started_at)))


def test_a_worker_that_offers_other_things_restates_them(sessions: Sessions) -> None:
    with sessions.begin() as session:
        assert registry.enter(session, name="w-1", offers=OFFERS, slots=2)
    for given in (replace(OFFERS, problems=["one"]), OFFERS.withdrawn("it does not hold")):
        with sessions.begin() as session:
            registry.restate(session, name="w-1", offers=given)
    [row] = rows(sessions)
    assert row.offers == {
        "kinds": {},
        "pairs": {},
        "problems": ["it does not hold"],
        "reasons": {"image": "this worker cannot isolate conversions"},
        "sandbox": "external",
    }


def test_a_name_that_has_a_row_is_not_entered_again(sessions: Sessions) -> None:
    with sessions.begin() as session:
        assert registry.enter(session, name="w-1", offers=OFFERS, slots=2)
        assert not registry.enter(session, name="w-1", offers=OFFERS.withdrawn("no"), slots=7)
    [row] = rows(sessions)
    assert (row.slots, row.offers) == (2, OFFERS.row)


def test_a_desk_whose_name_is_taken_works_under_another(
    database_url: str, sessions: Sessions, tmp_path: Path
) -> None:
    done = threading.Event()

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        succeed(job, control, hand_in)
        done.set()

    with desk_of(database_url, tmp_path, work=work) as running:
        taken = running.desk._name
        with sessions.begin() as session:
            make.make_worker(session, taken, slots=1)
            make.make_job(session)
        running.run_until(done)
    assert done.is_set()
    [row] = rows(sessions)
    assert (row.name, row.slots) == (taken, 1)


def test_the_folder_of_a_name_that_is_taken_is_left_alone(
    database_url: str, sessions: Sessions, tmp_path: Path
) -> None:
    """Another may be converting in it, whatever becomes of the worker that came too late."""
    theirs, tried = tmp_path / "theirs", threading.Event()
    theirs.mkdir()
    with desk_of(database_url, tmp_path) as running:
        taken = running.desk._name
        with sessions.begin() as session:
            make.make_worker(session, taken)

        def move_in(name: str) -> Path:
            if name == taken:
                return theirs
            tried.set()
            raise OSError(28, "No space left on device")

        running.desk._home = Home(move_in, beat_seconds=5)
        running.run_until(tried)
    assert tried.is_set()
    assert theirs.is_dir()


def test_a_desk_that_can_trust_no_cell_any_more_says_so_in_its_row(
    database_url: str, sessions: Sessions, tmp_path: Path
) -> None:
    said = threading.Event()

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(Report(job, Interrupted(), pause=True, unconfined="it does not hold"))

    def has_said() -> bool:
        return any(row.offers["problems"] == ["it does not hold"] for row in rows(sessions))

    def watch() -> None:
        poll(has_said)
        said.set()

    with sessions.begin() as session:
        make.make_job(session)
    with desk_of(database_url, tmp_path, work=work) as running:
        watching = threading.Thread(target=watch)
        watching.start()
        running.run_until(said)
        watching.join()
    assert said.is_set()
