"""Slots hand their outcomes in, outlive what their work does, and can be given up."""

import threading
import uuid
from functools import partial

from app.queue import Claimed, Standing
from tests.polling import poll
from worker.attempt import Control
from worker.outcome import Broken, Converted
from worker.report import HandIn, Report
from worker.slots import Slots


def a_job() -> Claimed:
    payload = {"from": "png", "to": "nap"}
    return Claimed(1, uuid.uuid4(), uuid.uuid4(), 1, "misbehave", payload, 1, "objects/x")


def convert(job: Claimed, _: Control, hand_in: HandIn) -> None:
    hand_in(Report(job, Converted(), {}))


def test_a_slot_is_not_free_until_its_outcome_is_recorded() -> None:
    woken = threading.Event()
    slots = Slots(1, work=convert, wake=woken.set)
    slots.begin(a_job())
    assert woken.wait(5)
    (running,) = slots.reports()
    assert slots.free == 0
    slots.settle(running, Standing.MOVED)
    assert (slots.free, slots.reports()) == (1, [])
    slots.stop()


def test_what_a_lost_lease_made_is_undone_and_nothing_else() -> None:
    woken = threading.Event()
    undone: list[uuid.UUID] = []

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(Report(job, Converted(), {}), partial(undone.append, job.lease_id))

    slots = Slots(1, work=work, wake=woken.set)
    jobs = [a_job() for _ in Standing]
    for job, standing in zip(jobs, Standing, strict=True):
        woken.clear()
        slots.begin(job)
        assert woken.wait(5)
        slots.settle(slots.reports()[0], standing)
    lost = [job for job, standing in zip(jobs, Standing, strict=True) if standing == "lost"]
    poll(lambda: undone == [job.lease_id for job in lost])
    slots.stop()


def test_a_slot_outlives_work_and_undoing_that_raise() -> None:
    woken = threading.Event()

    def fail() -> None:
        raise RuntimeError("a surprise")

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        if job.attempt == 2:
            hand_in(Report(job, Converted(), {}), fail)
        fail()

    slots = Slots(1, work=work, wake=woken.set)
    outcomes = []
    for attempt in (1, 2, 3):
        woken.clear()
        job = a_job()
        slots.begin(Claimed(1, job.lease_id, job.upload_id, 1, "image", {}, attempt, None))
        assert woken.wait(5)
        (running,) = slots.reports()
        assert running.report is not None
        outcomes.append(type(running.report.outcome))
        slots.settle(running, Standing.LOST)
    assert outcomes == [Broken, Converted, Broken]
    slots.stop()


def test_outcomes_that_come_together_wake_the_desk_once() -> None:
    let_go, woken = threading.Event(), threading.Semaphore(0)

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        let_go.wait(5)
        convert(job, control, hand_in)

    slots = Slots(3, work=work, wake=woken.release)
    for _ in range(3):
        slots.begin(a_job())
    threading.Timer(0.1, let_go.set).start()
    slots.gather(lambda left: _taken(woken, left), seconds=5)
    assert len(slots.reports()) == 3
    assert not woken.acquire(blocking=False), "the last one alone calls"
    for running in slots.reports():
        slots.settle(running, Standing.MOVED)
    slots.begin(a_job())
    assert woken.acquire(timeout=5), "the next one calls by itself"
    slots.stop()


def test_a_stuck_slot_is_given_up_and_counts_again_when_it_ends() -> None:
    unstuck = threading.Event()
    woken = threading.Event()
    undone: list[bool] = []

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        unstuck.wait()
        hand_in(Report(job, Converted(), {}), partial(undone.append, True))

    slots = Slots(2, work=work, wake=woken.set)
    slots.begin(a_job())
    (running,) = slots.running.values()
    slots.give_up(running, Report(running.job, Broken("stalled")))
    assert (slots.usable, slots.free) == (1, 1)
    assert slots.reports() == [running]
    slots.settle(running, Standing.MOVED)
    assert (slots.usable, slots.free, slots.running) == (1, 1, {})
    unstuck.set()
    assert woken.wait(5)
    assert slots.reports() == []
    poll(lambda: undone == [True])
    assert (slots.usable, slots.free) == (2, 2)
    slots.stop()


def _taken(calls: threading.Semaphore, seconds: float) -> None:
    assert calls.acquire(timeout=seconds)
