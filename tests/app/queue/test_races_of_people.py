"""Cancel, delete and again against a worker's writes and a sweep, each of them first once."""

from collections.abc import Callable
from functools import partial

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app import db
from app.models import Upload
from app.queue import Standing
from app.states import Status
from tests.app.queue.conftest import Race
from tests.app.queue.racing import Case
from worker import sweep

pytestmark = pytest.mark.rounds(50)

End = Callable[[Case, Session], object]


@pytest.mark.parametrize(
    ("end", "ended"), [(Case.cancel, [1]), (Case.delete, True)], ids=["cancel", "delete"]
)
def test_a_finish_behind_a_cancel_or_a_delete_is_lost(
    sessions: db.Sessions, race: Race, end: End, ended: object
) -> None:
    case = Case(sessions)
    with race.open() as ending:
        assert end(case, ending) == ended
        assert race.start(case.finish).result(30) is Standing.BUSY
    assert case.finished() is Standing.LOST
    assert case.job().status is Status.CANCELLED


@pytest.mark.parametrize(
    ("end", "ended"), [(Case.cancel, []), (Case.delete, True)], ids=["cancel", "delete"]
)
def test_a_cancel_or_a_delete_waits_for_a_finish_that_was_first(
    sessions: db.Sessions, race: Race, end: End, ended: object
) -> None:
    case = Case(sessions)
    with race.open() as finishing:
        assert case.finish(finishing) is Standing.MOVED
        ending = race.start(partial(end, case))
        assert race.waits(ending)
    assert ending.result(30) == ended
    assert case.job().status is Status.SUCCEEDED  # a deleted one's file is its tombstone's care


def test_again_behind_a_delete_finds_a_tombstone(sessions: db.Sessions, race: Race) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.cancel(session)
    with race.open() as deleting:
        assert case.delete(deleting)
        asking = race.start(case.again)
        assert race.waits(asking)
    assert asking.result(30) is False
    assert case.job().status is Status.CANCELLED


def test_a_delete_behind_again_cancels_what_was_asked_for(
    sessions: db.Sessions, race: Race
) -> None:
    case = Case(sessions)
    with sessions.begin() as session:
        case.cancel(session)
    with race.open() as asking:
        assert case.again(asking)
        deleting = race.start(case.delete)
        assert race.waits(deleting)
    assert deleting.result(30)
    assert case.job().status is Status.CANCELLED


def test_another_job_is_safe_from_an_expiry_that_comes_second(
    sessions: db.Sessions, race: Race
) -> None:
    case = ended(sessions)
    with race.open() as asking:
        assert case.another(asking)
        assert race.start(sweep.expire).result(30) == []  # the row is locked: skipped
    with sessions.begin() as session:
        assert sweep.expire(session) == []
    with sessions() as session:
        assert session.scalar(select(Upload.deleted_at)) is None


def test_another_job_behind_an_expiry_finds_a_tombstone(sessions: db.Sessions, race: Race) -> None:
    case = ended(sessions)
    with race.open() as sweeping:
        assert sweep.expire(sweeping) == [case.upload]
        asking = race.start(case.another)
        assert race.waits(asking)
    assert asking.result(30) is False


def ended(sessions: db.Sessions) -> Case:
    case = Case(sessions)
    with sessions.begin() as session:
        case.finish(session)
        session.execute(update(Upload).values(expires_at=func.now()))
    return case
