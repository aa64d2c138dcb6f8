"""Slots hand their outcomes in, outlive what their work does, and can be given up."""

import threading
import uuid
from collections.abc import Callable

from app.queue import Claimed, Standing
from tests.polling import poll
from worker.attempt import Control
from worker.outcome import Broken, Converted
from worker.report import Report
from worker.slots import Slots

HandIn = Callable[[Report], Standing]


def a_job() -> Claimed:
    payload = {"from": "png", "to": "nap"}
    return Claimed(1, uuid.uuid4(), uuid.uuid4(), 1, "misbehave", payload, 1, "objects/x")


def test_an_outcome_waits_in_its_slot_until_it_is_recorded() -> None:
    woken = threading.Event()
    told: list[Standing] = []

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        told.append(hand_in(Report(job, Converted(), {})))

    slots = Slots(1, work=work, wake=woken.set)
    slots.begin(a_job())
    assert woken.wait(5)
    (running,) = slots.reports()
    assert (slots.free, told) == (0, [])
    slots.settle(running, Standing.MOVED)
    assert slots.free == 1
    poll(lambda: told == [Standing.MOVED])
    slots.stop()


def test_a_slot_outlives_work_that_raises() -> None:
    woken = threading.Event()

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        raise RuntimeError("a surprise")

    slots = Slots(1, work=work, wake=woken.set)
    for _ in range(2):
        woken.clear()
        slots.begin(a_job())
        assert woken.wait(5)
        (running,) = slots.reports()
        assert running.report is not None
        assert isinstance(running.report.outcome, Broken)
        slots.settle(running, Standing.MOVED)
    slots.stop()


def test_a_stuck_slot_is_given_up_and_counts_again_when_it_ends() -> None:
    unstuck = threading.Event()
    woken = threading.Event()
    told: list[Standing] = []

    def work(job: Claimed, control: Control, hand_in: HandIn) -> None:
        unstuck.wait()
        told.append(hand_in(Report(job, Converted(), {})))

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
    poll(lambda: told == [Standing.LOST])
    assert (slots.usable, slots.free) == (2, 2)
    slots.stop()
