"""Keeps one spawner alive, from the main thread alone, because its children die with the thread."""

import time

from app.log import get_logger
from worker.spawner.client import Spawner, SpawnerFailed

log = get_logger()
SHORTEST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
GOOD_SECONDS = 60.0
# All cells of a spawner have its address layout, which one may tell the next about.
OLD_CELLS = 500
OLD_SECONDS = 3600.0
WORTH = 100  # times its start it has to live, so that renewing takes a hundredth of the time


class Nursery:
    """Says whether attempts may begin, and starts the spawner again after growing pauses."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner
        self._pause = SHORTEST_PAUSE_SECONDS
        self._trusted = True
        self._hold_until = 0.0
        self._restart_at = 0.0

    @property
    def ready(self) -> bool:
        """Whether a cell can be had now, and no pause is on."""
        return time.monotonic() >= self._hold_until and self._spawner.alive()

    @property
    def due(self) -> float:
        """When it has to be looked at again, while it is not ready."""
        return max(self._hold_until, 0.0 if self._spawner.alive() else self._restart_at)

    def pause(self, *, spawner: bool) -> None:
        """Let no attempt begin for a while: the spawner made no cell, or the storage is away.

        Without it a job would be claimed and given back as fast as the database can.
        """
        self._trusted &= not spawner
        if time.monotonic() >= self._hold_until:
            self._hold_until = self._restart_at = self._later()

    def keep(self, *, busy: bool) -> None:
        """Start the spawner again if it is dead, or not to be trusted and nothing runs in it.

        One that has become old is renewed while its cells end, so that a busy worker does it too.
        """
        now = time.monotonic()
        if self._spawner.alive() and (self._trusted or busy):
            if now > self._restart_at + GOOD_SECONDS:
                self._pause = SHORTEST_PAUSE_SECONDS
            if self._trusted and self._old and now >= self._restart_at:
                self._renew()
            return
        if now < self._restart_at:
            return
        self._restart_at = self._later()
        try:
            self._spawner.start()
        except SpawnerFailed as failed:
            log.error("spawner.failed", reason=str(failed), next_try=self._pause)  # noqa: TRY400
        else:
            self._trusted = True
            log.warning("spawner.started_again")

    @property
    def _old(self) -> bool:
        one = self._spawner
        age = one.age_seconds
        worn = one.cells >= OLD_CELLS or (one.cells > 0 and age >= OLD_SECONDS)
        return worn and age >= WORTH * one.start_seconds and one.may_renew

    def _renew(self) -> None:
        made = self._spawner.cells
        try:
            self._spawner.renew()
        except SpawnerFailed as failed:
            self._restart_at = self._later()
            log.warning("spawner.not_renewed", reason=str(failed))
        else:
            log.info("spawner.renewed", cells=made)

    def _later(self) -> float:
        pause, self._pause = self._pause, min(LONGEST_PAUSE_SECONDS, self._pause * 2)
        return time.monotonic() + pause
