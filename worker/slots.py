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
from worker.report import Afterwards, HandIn, Report
from worker.tell import tell

log = get_logger()

TIDY_SECONDS = 10.0

Work = Callable[[Claimed, Control, HandIn], None]


@dataclass(eq=False)
class Running:
    """One job in one slot. The desk alone changes it, once the slot has begun."""

    job: Claimed
    control: Control = field(default_factory=Control)
    begun: float = field(default_factory=time.monotonic)
    report: Report | None = None
    afterwards: Afterwards | None = None
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
        self._settled: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._outbox: deque[Running] = deque()
        self._enough = 1
        self._waiting: dict[UUID, Running] = {}
        self._stuck: set[UUID] = set()
        self._threads = [
            threading.Thread(target=self._serve, name=f"slot-{place}", daemon=True)
            for place in range(count)
        ]
        # Not the slots: with a long line each of them is in its next conversion already.
        self._tidier = threading.Thread(target=self._tidy, name="tidier", daemon=True)
        for thread in (*self._threads, self._tidier):
            thread.start()

    @property
    def free(self) -> int:
        """How many more jobs may be claimed now."""
        gone = sum(lease not in self.running for lease in self._stuck)  # recorded, and still stuck
        return max(0, self.count - len(self.running) - gone)

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
        # Not here: the desk waits for no file and no log.
        seconds = time.monotonic() - running.begun
        self._settled.put(partial(_conclude, running, standing, seconds))

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
        """Let the threads that are free end, after they have tidied up."""
        for _ in self._threads:
            self._inbox.put(None)
        self._settled.put(None)
        self._tidier.join(TIDY_SECONDS)

    def _serve(self) -> None:
        while (running := self._inbox.get()) is not None:
            self._attempt(running)

    def _tidy(self) -> None:
        while (conclude := self._settled.get()) is not None:
            try:
                conclude()
            except Exception:  # it outlives this, too
                log.exception("slot.surprise")

    def _attempt(self, running: Running) -> None:
        hand_in = partial(self._hand_in, running)
        try:
            self._work(running.job, running.control, hand_in)
        except Exception:  # a slot outlives whatever its work does
            log.exception("slot.surprise", job=running.job.job_id)
            if running.report is None:
                hand_in(Report(running.job, Broken("converter_crashed")))

    def _hand_in(
        self, running: Running, report: Report, afterwards: Afterwards | None = None
    ) -> None:
        if running.given_up:
            self._outbox.append(running)
            self._wake()
            if afterwards is not None:
                self._settled.put(partial(afterwards, Standing.WAITING))
            return
        running.report, running.afterwards = report, afterwards
        self._outbox.append(running)
        if len(self._outbox) >= self._enough:
            self._wake()


def _conclude(running: Running, standing: Standing, seconds: float) -> None:
    if running.report is not None:
        tell(running.report, standing, seconds=seconds)
    if running.afterwards is not None:
        running.afterwards(standing)
