"""Keeps one spawner alive, from the main thread alone, because its children die with the thread."""

import time

from app.log import get_logger
from worker.spawner.client import Spawner, SpawnerFailed

log = get_logger()
SHORTEST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
GOOD_SECONDS = 60.0


class Nursery:
    """Starts the spawner again when it has died or cannot be trusted, after growing pauses."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner
        self._pause = SHORTEST_PAUSE_SECONDS
        self._try_again = 0.0
        self._trusted = True

    @property
    def ready(self) -> bool:
        """Whether a cell can be had now."""
        return self._trusted and self._spawner.alive()

    def distrust(self) -> None:
        """Take note that the spawner made no cell: it is replaced before the next claim.

        Without the pause a job would be claimed and given back as fast as the database can.
        """
        if self._trusted:
            self._trusted = False
            self._wait()

    def keep(self) -> None:
        """Start the spawner again if it must be and its pause is over."""
        if self.ready:
            if time.monotonic() > self._try_again + GOOD_SECONDS:
                self._pause = SHORTEST_PAUSE_SECONDS
            return
        if time.monotonic() < self._try_again:
            return
        try:
            self._spawner.start()
        except SpawnerFailed as failed:
            log.error("spawner.failed", reason=str(failed), next_try=self._pause)  # noqa: TRY400
            self._wait()
        else:
            self._trusted = True
            self._wait()
            log.warning("spawner.started_again")

    def _wait(self) -> None:
        self._try_again = time.monotonic() + self._pause
        self._pause = min(LONGEST_PAUSE_SECONDS, self._pause * 2)
