"""Threads that run attempts, and the outbox through which they hand their outcomes in."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from uuid import UUID

from app.log import get_logger
from app.queue import Claimed, Standing
from worker.attempt import Control
from worker.outcome import Broken
from worker.report import HandIn, Report, Undo

log = get_logger()

Work = Callable[[Claimed, Control, HandIn], None]


@dataclass(eq=False)
class Running:
    """One job in one slot. The desk alone changes it, once the slot has begun."""

    job: Claimed
    control: Control = field(default_factory=Control)
    begun: float = field(default_factory=time.monotonic)
    report: Report | None = None
    undo: Undo | None = None
    noted: tuple[float, str] | None = None
    given_up: bool = False


class Slots:
    """Room for `count` attempts. Everything but `hand_in` is for the desk's thread only."""

    def __init__(self, count: int, *, work: Work, wake: Callable[[], None]) -> None:
        self.count = count
        self.running: dict[UUID, Running] = {}
        self._work = work
        self._wake = wake
        self._inbox: SimpleQueue[Running | Undo | None] = SimpleQueue()
        self._outbox: deque[Running] = deque()
        self._enough = 1
        self._waiting: dict[UUID, Running] = {}
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
        return max(0, self.count - len(self.running) - len(self._stuck - self.running.keys()))

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
        while self._outbox:
            handed = self._outbox.popleft()
            if handed.given_up:
                self._stuck.discard(handed.job.lease_id)
            else:
                self._waiting[handed.job.lease_id] = handed
        return list(self._waiting.values())

    def gather(self, wait: Callable[[float], None], *, seconds: float) -> None:
        """Wait a moment for the outcomes of the others, and be woken by the last of them only."""
        deadline = time.monotonic() + seconds
        self._enough = len(self.running) - len(self._waiting)
        while len(self._outbox) < self._enough:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            wait(left)
        self._enough = 1

    def settle(self, running: Running, standing: Standing) -> None:
        """Note what became of an outcome; the slot is free then, unless it is stuck."""
        del self.running[running.job.lease_id]
        self._waiting.pop(running.job.lease_id, None)
        if standing is Standing.LOST and running.undo is not None:
            self._inbox.put(running.undo)  # for a slot: the desk waits for no file

    def give_up(self, running: Running, report: Report) -> None:
        """Record this in place of a slot whose thread is stuck; it counts again when it ends."""
        running.given_up = True
        running.report = report
        self._waiting[running.job.lease_id] = running
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
        while (next_up := self._inbox.get()) is not None:
            if isinstance(next_up, Running):
                self._attempt(next_up)
            else:
                self._undo(next_up)

    def _attempt(self, running: Running) -> None:
        hand_in = partial(self._hand_in, running)
        try:
            self._work(running.job, running.control, hand_in)
        except Exception:  # a slot outlives whatever its work does
            log.exception("slot.surprise", job=running.job.job_id)
            if running.report is None:
                hand_in(Report(running.job, Broken("converter_crashed")))

    def _undo(self, undo: Undo) -> None:
        try:
            undo()
        except Exception:
            log.exception("slot.surprise")

    def _hand_in(self, running: Running, report: Report, undo: Undo | None = None) -> None:
        if running.given_up:
            self._outbox.append(running)
            self._wake()
            if undo is not None:
                self._undo(undo)
            return
        running.report, running.undo = report, undo
        self._outbox.append(running)
        if len(self._outbox) >= self._enough:
            self._wake()
