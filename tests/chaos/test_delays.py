"""What the events of a chaos run tell of the time that jobs waited."""

from datetime import UTC, datetime, timedelta

from app import db
from tests import make
from tests.chaos.delays import Delays, Moved, _claims, _rescues, delays
from tests.system.sweeps import MISSES

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def moved(job: int, second: float, move: str, worker: str | None = None) -> Moved:
    return Moved(job, BEGUN + timedelta(seconds=second), move, worker)


def test_a_rescue_is_counted_from_the_kill_of_its_worker() -> None:
    events = [moved(1, 3, "rescue", "w-1"), moved(2, 4, "rescue", "w-1"), moved(3, 9, "rescue")]
    assert [*_rescues(events, {"w-1": BEGUN, "w-2": BEGUN})] == [3, 4]


def test_a_claim_is_counted_from_the_release_before_it() -> None:
    events = [
        *(moved(1, second, move) for second, move in ((0, "claim"), (1, "release"), (3, "claim"))),
        *(moved(2, second, move) for second, move in ((4, "release"), (5, "cancel"))),
        *(moved(3, second, move) for second, move in ((6, "claim"), (7, "succeed"))),
    ]
    assert [*_claims(events)] == [2]


def test_a_worker_that_was_lost_after_far_too_many_sweeps_is_late(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        for name, missed in (("w-1", MISSES), ("w-2", 2 * MISSES), ("w-3", 2 * MISSES + 1)):
            make.make_worker(session, name, missed=missed, lost_at=BEGUN)
        make.make_worker(session, "w-4", missed=9 * MISSES)
    [late] = delays(sessions, {}).late
    assert late.startswith("w-3 was lost only after 9 sweeps")


def test_the_delays_are_told() -> None:
    told = Delays([1.0, 2.0, 6.0], [0.5], []).summary
    assert told.startswith("3 rescued 2.0 s after the kill (p50), 6.0 s at most")
    assert told.endswith("claim: 0.5 s at most")
    assert "none was given back" in Delays([], [], []).summary
