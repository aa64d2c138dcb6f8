"""When this worker sweeps, and what it does with what the janitor found."""

import random
import time

from app import queue
from app.log import get_logger
from app.settings import Settings
from worker import sweep
from worker.janitor import Janitor, Old, Strangers, Tidied
from worker.seat import Seat

log = get_logger()
HOUR = 3600.0


class Rounds:
    """The sweeps of one worker; all its calls are for the desk's thread."""

    def __init__(self, settings: Settings, janitor: Janitor) -> None:
        self._settings = settings
        self._janitor = janitor
        self.due = 0.0
        self._look_due = 0.0
        self._forget_due = 0.0

    def sweep_if_due(self, seat: Seat, *, worker: str) -> bool:
        """Sweep when it is time and no other worker does; True when jobs may be ready again."""
        if time.monotonic() < self.due:
            return False
        seconds = self._settings.sweep_seconds
        with seat.single() as session:
            elected = sweep.elect(session, sweep_seconds=seconds)
            wait = seconds if elected else sweep.until_due(session, sweep_seconds=seconds)
        self.due = time.monotonic() + wait + random.uniform(0.01, 0.02) * seconds  # noqa: S311
        return elected and self._round(seat, worker)

    def answer(self, seat: Seat) -> None:
        """Ask the database about what the janitor found."""
        for found in self._janitor.found():
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

    def _round(self, seat: Seat, worker: str) -> bool:
        with seat.single() as session:
            lost = queue.rescue(
                session,
                misses=self._settings.misses,
                backoff_seconds=self._settings.backoff_seconds,
            )
        for name in lost:
            log.warning("worker.lost", worker=name)
        self._end_uploads(seat)
        self._look_around(worker)
        return bool(lost)

    def _end_uploads(self, seat: Seat) -> None:
        with seat.single() as session:
            sweep.stamp(session, keep_seconds=self._settings.keep_seconds)
        with seat.single() as session:
            expired = sweep.expire(session)
        if expired:
            log.info("uploads.expired", count=len(expired))
        with seat.single() as session:
            remains = sweep.untidied(session)
        if remains:
            self._janitor.tidy(remains)
        if time.monotonic() >= self._forget_due:
            self._forget_due = time.monotonic() + HOUR
            with seat.single() as session:
                sweep.forget(session)

    def _look_around(self, worker: str) -> None:
        if time.monotonic() >= self._look_due:
            orphan_seconds = self._settings.orphan_seconds
            self._look_due = time.monotonic() + min(HOUR, orphan_seconds / 24)
            self._janitor.look(worker=worker, orphan_seconds=orphan_seconds)
