"""Tries again, once there is room, what a worker could not try at its start for want of it."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from app.formats.family import Family
from app.log import get_logger
from app.settings import Settings
from worker import offers, trials
from worker.offers import Offers
from worker.spawner.client import Spawner, SpawnerFailed
from worker.trials import Tried, Untried

log = get_logger()


class Retrial:
    """Looks for room at each sweep in a thread of its own, for a trial takes longer than a beat.

    `take` is for the desk: it returns what the worker can do now if that has changed, once.
    """

    def __init__(self, tried: Tried, spawner: Spawner, settings: Settings, *, place: Path) -> None:
        self._tried = list(tried)
        self._spawner = spawner
        self._settings = settings
        self._place = place
        self._news: Offers | None = None
        self._over = threading.Event()
        self._tell: Callable[[], None] = lambda: None

    def begin(self, tell: Callable[[], None]) -> None:
        """Try again until nothing is left to be tried, or until end(); `tell` ends a desk's sleep.

        There is no thread where all was tried at the start.
        """
        self._tell = tell
        if self._untried:
            log.warning("worker.no_room_to_try", kinds=[one.kind for one in self._untried])
            threading.Thread(target=self._run, name="retrial", daemon=True).start()

    def end(self) -> None:
        """Try nothing more; a cell that still tries ends with the spawner."""
        self._over.set()

    def take(self) -> Offers | None:
        news, self._news = self._news, None
        return news

    @property
    def _untried(self) -> Sequence[Family]:
        return [family for family, found in self._tried if isinstance(found, Untried)]

    def _run(self) -> None:
        while self._untried and not self._over.wait(self._settings.sweep_seconds):
            if trials.has_room(self._place):
                self._try()

    def _try(self) -> None:
        try:
            found = trials.run(self._untried, self._spawner, self._settings, place=self._place)
        except SpawnerFailed as failed:  # the desk starts it again
            log.warning("worker.not_tried", reason=str(failed))
            return
        again = {family.kind: result for family, result in found}
        self._tried = [(family, again.get(family.kind, old)) for family, old in self._tried]
        self._news = offers.make(self._tried, self._settings)
        log.info("worker.tried_again", kinds=sorted(again), problems=self._news.problems)
        self._tell()
