"""When a worker looks from the start of the lines, and from where it looks otherwise."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from app.queue import Claimed
from worker.floor import Floor, Look

SWEEP_SECONDS = 15.0
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
ROOMS = {"image": 4, "media": 4}


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def floor(clock: Clock) -> Floor:
    return Floor(sweep_seconds=SWEEP_SECONDS, clock=clock)


def test_a_worker_that_starts_looks_from_the_start(floor: Floor) -> None:
    assert floor.begin().floors == {}


def test_the_next_look_begins_where_the_last_one_ended(floor: Floor) -> None:
    look(floor, [job("image", 1), job("media", 2), job("image", 3)])
    assert floor.begin().floors == {"image": at(3), "media": at(2)}


def test_a_kind_of_which_nothing_was_ready_is_looked_at_from_the_last_job_on(floor: Floor) -> None:
    """Otherwise a worker would walk, for each image, over all media that others have done."""
    look(floor, [job("image", 5)])
    assert floor.begin().floors == {"image": at(5), "media": at(5)}
    look(floor, [job("image", 9)])
    assert floor.begin().floors == {"image": at(9), "media": at(9)}


def test_a_kind_for_which_there_is_no_room_keeps_its_floor(floor: Floor) -> None:
    look(floor, [job("image", 1), job("media", 2)])
    look(floor, [job("image", 8)], rooms={"image": 2, "media": 0})
    assert floor.begin().floors == {"image": at(8), "media": at(2)}


def test_an_old_job_of_one_kind_does_not_lower_the_floor_of_another(floor: Floor) -> None:
    look(floor, [job("image", 1), job("media", 5)])
    look(floor, [job("image", 2)])
    assert floor.begin().floors == {"image": at(2), "media": at(5)}


def test_while_jobs_are_found_there_is_a_full_look_each_sweep(floor: Floor, clock: Clock) -> None:
    look(floor, [job("image", 1)])
    clock.now += SWEEP_SECONDS - 0.1
    assert look(floor, [job("image", 2)]).floors
    assert floor.due == 100 + SWEEP_SECONDS
    clock.now += 0.2
    assert not look(floor, [job("image", 3)]).floors
    assert look(floor, [job("image", 4)]).floors


def test_where_nothing_is_found_a_full_look_follows_at_once(floor: Floor, clock: Clock) -> None:
    look(floor, [job("image", 1)])
    assert look(floor, []).floors
    assert floor.due <= clock.now
    assert not look(floor, []).floors
    assert floor.due == 100 + SWEEP_SECONDS, "an idle worker does not turn in circles"


def test_a_full_look_that_is_dear_is_not_repeated_for_a_hundred_times_as_long(
    floor: Floor, clock: Clock
) -> None:
    look(floor, [job("image", 1)], seconds=0.001)
    clock.now += SWEEP_SECONDS
    look(floor, [], seconds=0.021)
    began = clock.now - 0.021
    assert look(floor, [], seconds=0.001).floors
    assert floor.due == pytest.approx(began + 2)
    clock.now = began + 2.1
    assert not look(floor, []).floors


def test_a_full_look_that_is_very_dear_still_comes_with_each_sweep(
    floor: Floor, clock: Clock
) -> None:
    look(floor, [job("image", 1)], seconds=0.001)
    clock.now += SWEEP_SECONDS
    look(floor, [], seconds=5)
    assert look(floor, []).floors
    assert floor.due == pytest.approx(100.001 + 2 * SWEEP_SECONDS)


def test_a_full_look_that_filled_all_slots_says_only_that_nothing_older_waits(
    floor: Floor, clock: Clock
) -> None:
    look(floor, [job("image", 1), job("media", 9)])
    clock.now += SWEEP_SECONDS
    look(floor, [job("image", 2), job("image", 3)], free=2)
    assert floor.begin().floors == {"image": at(3), "media": at(3)}


def test_a_full_look_without_room_for_a_kind_has_not_looked_at_it(
    floor: Floor, clock: Clock
) -> None:
    look(floor, [job("image", 1), job("media", 2)])
    clock.now += SWEEP_SECONDS
    look(floor, [job("image", 3)], rooms={"image": 4, "media": 0})
    assert floor.begin().floors == {"image": at(3)}


def test_a_job_that_stood_behind_the_floor_lowers_it(floor: Floor, clock: Clock) -> None:
    """What stood beside it comes next, not a sweep later."""
    look(floor, [job("image", 9)])
    clock.now += SWEEP_SECONDS
    look(floor, [job("image", 2)], free=1)
    assert floor.begin().floors["image"] == at(2)


def look(
    floor: Floor,
    claimed: list[Claimed],
    *,
    rooms: dict[str, int] | None = None,
    free: int = 4,
    seconds: float = 0,
) -> Look:
    """Look, find these, and take so long for it."""
    begun = floor.begin()
    clock = floor._clock
    assert isinstance(clock, Clock)
    clock.now += seconds
    floor.end(begun, claimed, rooms=rooms or ROOMS, free=free)
    return begun


def job(kind: str, minute: int) -> Claimed:
    return Claimed(1, uuid.uuid4(), uuid.uuid4(), 1, kind, {}, 1, None, at(minute))


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)
