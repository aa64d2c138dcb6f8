"""Slots hand their outcomes in, outlive what their work does, and can be given up."""

import threading
import uuid
from datetime import UTC, datetime

from structlog.testing import capture_logs
from structlog.typing import EventDict

from app.queue import Claimed, Standing
from tests.polling import poll
from worker.attempt import Control
from worker.outcome import Broken, Converted
from worker.report import HandIn, Report
from worker.slots import Slots


def a_job(*, attempt: int = 1) -> Claimed:
    payload = {"from": "png", "to": "nap"}
    lease, now = uuid.uuid4(), datetime.now(UTC)
    return Claimed(1, lease, uuid.uuid4(), 1, "misbehave", payload, attempt, "objects/x", now)


def convert(job: Claimed, _: Control, hand_in: HandIn) -> None:
    hand_in(Report(job, Converted(), {}))


def test_a_slot_is_not_free_until_its_outcome_is_recorded() -> None:
    woken = threading.Event()
    slots = Slots(1, work=convert, wake=woken.set)
    slots.begin(a_job())
    assert woken.wait(60)
    (running,) = slots.reports()
    assert slots.free == 0
    slots.settle(running, Standing.MOVED)
    assert (slots.free, slots.reports()) == (1, [])
    slots.stop()


def test_an_attempt_is_told_what_became_of_its_outcome() -> None:
    woken = threading.Event()
    told: list[tuple[uuid.UUID, Standing]] = []

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(
            Report(job, Converted(), {}), lambda standing: told.append((job.lease_id, standing))
        )

    slots = Slots(1, work=work, wake=woken.set)
    became = []
    for standing in (Standing.MOVED, Standing.ALREADY, Standing.LOST):
        woken.clear()
        job = a_job()
        slots.begin(job)
        assert woken.wait(60)
        slots.settle(slots.reports()[0], standing)
        became.append((job.lease_id, standing))
    slots.stop()
    assert told == became, "also the last one is told before they have stopped"


def test_the_log_tells_each_outcome_and_the_desk_does_not_wait_for_it() -> None:
    woken = threading.Event()
    slots = Slots(1, work=convert, wake=woken.set)
    authors: list[str] = []

    def note(_: object, __: str, entry: EventDict) -> EventDict:
        authors.append(threading.current_thread().name)
        return entry

    with capture_logs(processors=[note]) as entries:
        slots.begin(a_job())
        assert woken.wait(60)
        slots.settle(slots.reports()[0], Standing.MOVED)
        slots.stop()
    assert [entry["event"] for entry in entries] == ["job.succeeded"]
    assert authors == ["tidier"]


def test_what_comes_afterwards_waits_for_no_slot() -> None:
    """Every slot is busy again by the time an outcome is recorded; its files go all the same."""
    let_go, woken, told = threading.Event(), threading.Event(), threading.Event()

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        if job.attempt == 2:
            let_go.wait(60)
        hand_in(Report(job, Converted(), {}), lambda _: told.set())

    slots = Slots(1, work=work, wake=woken.set)
    slots.begin(a_job())
    assert woken.wait(60)
    (ended,) = slots.reports()
    slots.begin(a_job(attempt=2))
    slots.settle(ended, Standing.MOVED)
    assert told.wait(60)
    let_go.set()
    slots.stop()


def test_a_slot_outlives_work_and_tidying_that_raise() -> None:
    woken = threading.Event()

    def fail(*_: object) -> None:
        raise RuntimeError("a surprise")

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        if job.attempt == 2:
            hand_in(Report(job, Converted(), {}), fail)
        fail()

    slots = Slots(1, work=work, wake=woken.set)
    outcomes = []
    for attempt in (1, 2, 3):
        woken.clear()
        slots.begin(a_job(attempt=attempt))
        assert woken.wait(60)
        (running,) = slots.reports()
        assert running.report is not None
        outcomes.append(type(running.report.outcome))
        slots.settle(running, Standing.LOST)
    assert outcomes == [Broken, Converted, Broken]
    slots.stop()


def test_outcomes_that_come_together_wake_the_desk_once() -> None:
    let_go, woken = threading.Event(), threading.Semaphore(0)

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        let_go.wait(60)
        convert(job, control, hand_in)

    slots = Slots(3, work=work, wake=woken.release)
    for _ in range(3):
        slots.begin(a_job())

    def wait(left: float) -> None:
        let_go.set()  # nobody has ended before all are waited for
        assert woken.acquire(timeout=left)

    slots.gather(wait, seconds=60)
    assert len(slots.reports()) == 3
    assert not woken.acquire(blocking=False), "the last one alone calls"
    for running in slots.reports():
        slots.settle(running, Standing.MOVED)
    slots.begin(a_job())
    assert woken.acquire(timeout=60), "the next one calls by itself"
    slots.stop()


def test_a_stuck_slot_is_given_up_and_counts_again_when_it_ends() -> None:
    unstuck = threading.Event()
    woken = threading.Event()
    undone: list[Standing] = []

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        unstuck.wait()
        hand_in(Report(job, Converted(), {}), undone.append)

    slots = Slots(2, work=work, wake=woken.set)
    slots.begin(a_job())
    (running,) = slots.running.values()
    slots.give_up(running, Report(running.job, Broken("stalled")))
    assert (slots.usable, slots.free) == (1, 1)
    assert slots.reports() == [running]
    slots.settle(running, Standing.MOVED)
    assert (slots.usable, slots.free, slots.running) == (1, 1, {})
    unstuck.set()
    assert woken.wait(60)
    assert slots.reports() == []
    poll(lambda: undone == [Standing.WAITING])  # the next attempt may adopt what it finished
    assert (slots.usable, slots.free) == (2, 2)
    slots.stop()
