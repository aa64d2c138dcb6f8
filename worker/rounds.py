"""When this worker sweeps, and what it does with what the janitor found."""

import random
import time
from collections import deque
from collections.abc import Callable

from app import queue
from app.log import get_logger
from app.settings import Settings
from worker import handover, sweep
from worker.janitor import Found, Janitor, Old, Strangers, Tidied
from worker.seat import Seat

log = get_logger()
HOUR = 3600.0
SPREAD = 0.01, 0.02  # of a sweep that it comes later, so that workers seldom try at once
Step = Callable[[Seat], None]


class Rounds:
    """The sweeps of one worker, one statement at each turn of the desk, so that beats go on.

    All calls are for the desk's thread.
    """

    def __init__(self, settings: Settings, janitor: Janitor) -> None:
        self._settings = settings
        self._janitor = janitor
        self._steps: deque[Step] = deque()
        self._due = self._look_due = self._forget_due = 0.0
        self._worker = ""
        self._absences = handover.Absences()
        self.freed = False

    @property
    def due(self) -> float:
        """When there is something to do: now, while a round is under way."""
        return 0.0 if self._steps or self._janitor.has_found else self._due

    def turn(self, seat: Seat, *, worker: str) -> None:
        """Take the next step of a round, or try to begin one; `freed` says if jobs came free."""
        self._worker, self.freed = worker, False
        if self._steps:
            self._steps.popleft()(seat)  # gone even if it is refused: the next round tries again
        elif (found := self._janitor.next_found()) is not None:
            self._answer(seat, found)
        elif time.monotonic() >= self._due:
            self._begin(seat)

    def _begin(self, seat: Seat) -> None:
        seconds = self._settings.sweep_seconds
        self._due = time.monotonic() + seconds
        with seat.single() as session:
            elected = sweep.elect(session, sweep_seconds=seconds)
            wait = seconds if elected else sweep.until_due(session, sweep_seconds=seconds)
        self._due = time.monotonic() + wait + random.uniform(*SPREAD) * seconds  # noqa: S311
        if elected:
            self._steps += [self._rescue, self._hand_over, self._stamp, self._expire, self._tidy]
            if time.monotonic() >= self._forget_due:
                self._forget_due = time.monotonic() + HOUR
                self._steps += [self._forgetting(part) for part in range(sweep.PARTS)]
            self._look_around()

    def _rescue(self, seat: Seat) -> None:
        misses, backoff = self._settings.misses, self._settings.backoff_seconds
        with seat.single() as session:
            lost = queue.rescue(session, misses=misses, backoff_seconds=backoff)
        self.freed = bool(lost)
        if lost:
            self._look_due = 0.0  # what it left in the scratch folder may go
        for name in lost:
            log.warning("worker.lost", worker=name)

    def _hand_over(self, seat: Seat) -> None:
        with seat.single() as session:
            found = handover.swaps(session)
            lasting = self._absences.lasting(found, sweeps=self._settings.misses)
            jobs = queue.hand_over(session, lasting)
        self.freed = bool(jobs)
        if jobs:
            log.info("jobs.handed_over", count=len(jobs), jobs=jobs[:20], because=dict(lasting))

    def _stamp(self, seat: Seat) -> None:
        with seat.single() as session:
            sweep.stamp(session, keep_seconds=self._settings.keep_seconds)

    def _expire(self, seat: Seat) -> None:
        with seat.single() as session:
            expired = sweep.expire(session)
        if expired:
            log.info("uploads.expired", count=len(expired))

    def _tidy(self, seat: Seat) -> None:
        with seat.single() as session:
            remains = sweep.untidied(session)
        if remains:
            self._janitor.tidy(remains)

    def _forgetting(self, part: int) -> Step:
        def forget(seat: Seat) -> None:
            with seat.single() as session:
                more = sweep.forget(session, part=part)
            if more:
                self._steps.append(forget)

        return forget

    def _look_around(self) -> None:
        if time.monotonic() >= self._look_due:
            orphan_seconds = self._settings.orphan_seconds
            self._look_due = time.monotonic() + min(HOUR, orphan_seconds / 24)
            self._janitor.look(worker=self._worker, orphan_seconds=orphan_seconds)

    def _answer(self, seat: Seat, found: Found) -> None:
        match found:
            case Tidied(upload_ids):
                with seat.single() as session:
                    sweep.tidied(session, upload_ids)
            case Old(keys):
                with seat.single() as session:
                    orphans = sweep.orphans(session, keys)
                if orphans:
                    self._janitor.put_aside(orphans)
            case Strangers(names):
                with seat.single() as session:
                    lost = sweep.lost_among(session, names)
                if lost:
                    self._janitor.clear(lost)
