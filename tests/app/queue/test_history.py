"""What a job's events and row cannot say together is found: each row of a table plants a fault."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.models import Event, Job
from app.states import Move, Status
from app.storage.keys import result_key
from tests.app.queue.history import claimed_twice, faults

UPLOAD, ONE, TWO, THREE, FOUR, OTHER = (UUID(int=number) for number in range(1, 7))
History = list[Event]


def event(move: Move, attempt: int = 0, **columns: Any) -> Event:
    return Event(job_id=1, move=move, attempt=attempt, **columns)


def lost_and_done() -> History:
    """Return the events of a job that was lost once, failed, was asked for again, and succeeded."""
    first, second = {"lease_id": ONE, "worker": "w-1"}, {"lease_id": TWO, "worker": "w-2"}
    third, fourth = {"lease_id": THREE, "worker": "w-1"}, {"lease_id": FOUR, "worker": "w-2"}
    return [
        event(Move.ENQUEUE),
        event(Move.CLAIM, 1, **first),
        event(Move.RESCUE, 1, **first, detail={"to": "queued"}),
        event(Move.CLAIM, 2, **second),
        event(Move.FAIL, 2, **second),
        event(Move.AGAIN),
        event(Move.CLAIM, 1, **third),
        event(Move.RELEASE, 1, **third),
        event(Move.CLAIM, 2, **fourth),
        event(Move.SUCCEED, 2, **fourth),
    ]


def done(history: History, **columns: Any) -> Job:
    """Return the row that goes with it."""
    key = result_key(UPLOAD, 1, history[-1].lease_id or OTHER)
    values = {
        "number": 1,
        "status": Status.SUCCEEDED,
        "attempts": 2,
        "losses": 0,
        "releases": 1,
        "finished_at": datetime.now(UTC),
        "result": {"storage_key": key},
    }
    return Job(id=1, upload_id=UPLOAD, **values | columns)


def test_a_history_that_may_be_has_no_fault() -> None:
    history = lost_and_done()
    assert faults(done(history), history) == []
    assert claimed_twice(history) == []
    open_until = history[:4]
    running = {"status": Status.RUNNING, "lease_id": TWO, "locked_by": "w-2"}
    counts = {"losses": 1, "releases": 0, "result": None, "finished_at": None}
    assert faults(done(history, **running, **counts), open_until) == []


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"attempts": 7}, "attempts is 7, its events say 2"),
        ({"losses": 1}, "losses is 1, its events say 0"),
        ({"releases": 0}, "releases is 0, its events say 1"),
        ({"finished_at": None}, "it is succeeded, and finished at None"),
        ({"result": None}, "it is succeeded with the result None"),
        ({"result": {"storage_key": result_key(UPLOAD, 1, OTHER)}}, "its result is results/"),
        ({"result": {"storage_key": result_key(UPLOAD, 1, ONE)}}, "its result is results/"),
        ({"number": 2}, "its result is results/"),
        ({"lease_id": TWO, "locked_by": "w-2"}, "held by w-2"),
        ({"status": Status.FAILED, "result": None}, "it is failed, its events say succeeded"),
        ({"status": Status.FAILED}, "it is failed with the result"),
    ],
    ids=str,
)
def test_a_row_that_says_something_else_is_found(columns: dict[str, Any], told: str) -> None:
    history = lost_and_done()
    assert f"job 1: {told}" in "\n".join(faults(done(history, **columns), history))


@pytest.mark.parametrize(
    ("status", "columns"),
    [
        (Status.RUNNING, {"lease_id": OTHER, "locked_by": "w-2"}),
        (Status.RUNNING, {"lease_id": TWO, "locked_by": "w-1"}),
        (Status.QUEUED, {}),
    ],
)
def test_who_holds_a_job_is_who_claimed_it(status: Status, columns: dict[str, Any]) -> None:
    history = lost_and_done()[:4]
    counts = {"losses": 1, "releases": 0, "result": None, "finished_at": None}
    row = done(history, status=status, **counts, **columns)
    assert any("its events say" in said for said in faults(row, history))


def without(place: int) -> Callable[[History], None]:
    return lambda history: history.__delitem__(place)


def changed(place: int, **columns: Any) -> Callable[[History], None]:
    def change(history: History) -> None:
        for name, value in columns.items():
            setattr(history[place], name, value)

    return change


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (without(0), "claim from None"),
        (without(1), "rescue from queued"),
        (without(2), "claim from running"),
        (without(5), "claim from failed"),
        (without(-1), "it is succeeded, its events say running"),
        (lambda history: history.__delitem__(slice(0, -1)), "succeed from None"),
        (lambda history: history.clear(), "it is succeeded, its events say None"),
        (lambda history: history.append(history[0]), "enqueue from succeeded"),
        (lambda history: history.append(history[-1]), "succeed from succeeded"),
        (changed(-1, worker="w-9"), "succeed by w-9"),
        (changed(-1, worker=None), "succeed by None"),
        (changed(-1, lease_id=OTHER), "its result is results/"),
        (changed(-1, lease_id=None), "succeed by w-2 (None)"),
        (changed(-1, attempt=3), "succeed of attempt 3, not 2"),
        (changed(2, lease_id=OTHER), "rescue by w-1"),
        (changed(2, detail={"to": "failed"}), "claim from failed"),
        (changed(2, detail=None), "claim from None"),
        (changed(3, worker=None), "claim by nobody"),
        (changed(5, worker="w-1"), "again by w-1"),
        (changed(5, attempt=2), "again of attempt 2, not 0"),
    ],
)
def test_events_that_cannot_have_happened_are_found(
    plant: Callable[[History], None], told: str
) -> None:
    history = lost_and_done()
    row = done(history)
    plant(history)
    assert f"job 1: {told}" in "\n".join(faults(row, history))


def test_a_lease_that_two_claims_name_is_found() -> None:
    history = lost_and_done()
    history[3].lease_id = history[4].lease_id = ONE
    assert faults(done(history), history) == []
    assert claimed_twice(history) == [f"lease {ONE} was claimed 2 times"]
