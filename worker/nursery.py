"""Keeps one spawner alive, from the main thread alone, because its children die with the thread."""

import time

from app.log import get_logger
from worker.spawner.client import Spawner, SpawnerFailed

log = get_logger()
LONGEST_PAUSE_SECONDS = 30.0


class Nursery:
    """Starts the spawner again when it has died; the pauses double up to half a minute."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner
        self._pause = 0.5
        self._try_again = 0.0

    @property
    def ready(self) -> bool:
        """Whether a cell can be had now."""
        return self._spawner.alive()

    def keep(self) -> bool:
        """Start the spawner if it is dead and its pause is over; return whether it lives."""
        if self._spawner.alive():
            self._pause = 0.5
            return True
        if time.monotonic() < self._try_again:
            return False
        try:
            self._spawner.start()
        except SpawnerFailed as failed:
            log.error("spawner.failed", reason=str(failed), next_try=self._pause)  # noqa: TRY400
            self._try_again = time.monotonic() + self._pause
            self._pause = min(LONGEST_PAUSE_SECONDS, self._pause * 2)
            return False
        log.warning("spawner.started_again")
        return True
