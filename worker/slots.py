"""Threads that run attempts, and the outbox through which they hand their outcomes in."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from uuid import UUID

from app.log import get_logger
from app.queue import Claimed, Standing
from worker.attempt import Control
from worker.outcome import Broken
from worker.report import Report

log = get_logger()

Work = Callable[[Claimed, Control, Callable[[Report], Standing]], None]


@dataclass(eq=False)
class Running:
    """One job in one slot. The desk alone changes it, once the slot has begun."""

    job: Claimed
    control: Control = field(default_factory=Control)
    begun: float = field(default_factory=time.monotonic)
    report: Report | None = None
    answer: "Future[Standing]" = field(default_factory=Future)
    noted: tuple[float, str] | None = None
    given_up: bool = False


class Slots:
    """Room for `count` attempts. Everything but `hand_in` is for the desk's thread only."""

    def __init__(self, count: int, *, work: Work, wake: Callable[[], None]) -> None:
        self.count = count
        self.running: dict[UUID, Running] = {}
        self._work = work
        self._wake = wake
        self._inbox: SimpleQueue[Running | None] = SimpleQueue()
        self._outbox: SimpleQueue[Running] = SimpleQueue()
        self._waiting: list[Running] = []
        self._stuck: set[UUID] = set()
        self._threads = [
            threading.Thread(target=self._serve, name=f"slot-{place}", daemon=True)
            for place in range(count)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def free(self) -> int:
        """How many more jobs may be claimed now."""
        busy = self.running.keys() | self._stuck
        return max(0, self.count - len(busy))

    @property
    def usable(self) -> int:
        """How many slots are not given up."""
        return self.count - len(self._stuck)

    def kinds(self) -> Counter[str]:
        """How many slots work on each kind."""
        return Counter(running.job.kind for running in self.running.values())

    @property
    def waiting(self) -> bool:
        """Whether an outcome waits to be recorded, as far as the desk has looked."""
        return bool(self._waiting)

    def begin(self, job: Claimed) -> None:
        """Give a claimed job to a free slot."""
        running = Running(job)
        self.running[job.lease_id] = running
        self._inbox.put(running)

    def reports(self) -> list[Running]:
        """Return every attempt whose outcome waits to be recorded, those of earlier calls too."""
        while not self._outbox.empty():
            handed = self._outbox.get()
            if handed.given_up:
                self._stuck.discard(handed.job.lease_id)
            else:
                self._waiting.append(handed)
        return self._waiting

    def settle(self, running: Running, standing: Standing) -> None:
        """Tell a slot what became of its outcome; the slot is free then, unless it is stuck."""
        del self.running[running.job.lease_id]
        if running in self._waiting:
            self._waiting.remove(running)
        if not running.given_up:
            running.answer.set_result(standing)

    def give_up(self, running: Running, report: Report) -> None:
        """Record this in place of a slot whose thread is stuck; it counts again when it ends."""
        running.given_up = True
        running.report = report
        self._waiting.append(running)
        self._stuck.add(running.job.lease_id)

    def end_all(self) -> None:
        """End every conversion that runs."""
        for running in list(self.running.values()):
            running.control.end()

    def stop(self) -> None:
        """Let the threads that are free end."""
        for _ in self._threads:
            self._inbox.put(None)

    def _serve(self) -> None:
        while (running := self._inbox.get()) is not None:
            hand_in = partial(self._hand_in, running)
            try:
                self._work(running.job, running.control, hand_in)
            except Exception:  # a slot outlives whatever its work does
                log.exception("slot.surprise", job=running.job.job_id)
                if running.report is None:
                    hand_in(Report(running.job, Broken("converter_crashed")))

    def _hand_in(self, running: Running, report: Report) -> Standing:
        if not running.given_up:
            running.report = report
        self._outbox.put(running)
        self._wake()
        return Standing.LOST if running.given_up else running.answer.result()
