"""A worker's own folder: where its attempts work, and where it leaves its signs of life."""

import time
from collections.abc import Callable
from pathlib import Path

from app.log import get_logger
from app.storage import FULL
from worker import scratch

log = get_logger()
TRY_AGAIN_SECONDS = 1.0


class Home:
    """The folder of the worker that the desk is now; on a full disk there is none until later.

    `make` makes it for a name and returns it. Whoever has no folder converts nothing, but beats
    and sweeps all the same: what expires on a full disk is what makes room.
    """

    def __init__(self, make: Callable[[str], Path], *, beat_seconds: float) -> None:
        self._make = make
        self._beat_seconds = beat_seconds
        self._name: str | None = None
        self._folder: Path | None = None
        self._is_missed = False
        self.due = 0.0

    @property
    def ready(self) -> bool:
        """Whether an attempt may begin in it."""
        return self._folder is not None

    def enter(self, name: str) -> None:
        """Have the folder of a worker of this name; where there is no room, try again when due.

        Raise OSError where it is not for want of room that there is none.
        """
        if name != self._name:
            self._name, self._folder, self.due = name, None, 0.0
        if self._folder is None and time.monotonic() >= self.due:
            self._try(name)

    def sign(self) -> None:
        """Leave a sign of life, if one is due."""
        if self._folder is not None and time.monotonic() >= self.due:
            self.due = time.monotonic() + self._beat_seconds
            scratch.sign(self._folder)

    def move_out(self) -> None:
        """Have no folder any more, and leave it as it is: it may be another's."""
        self._name = self._folder = None

    def tidy(self) -> None:
        """Delete the folder."""
        if self._folder is not None:
            scratch.remove(self._folder)

    def _try(self, name: str) -> None:
        try:
            self._folder = self._make(name)
        except OSError as error:
            if error.errno not in FULL:
                raise
            self.due = time.monotonic() + TRY_AGAIN_SECONDS
            self._tell("worker.no_room", missed=True)
        else:
            self.due = 0.0
            self._tell("worker.has_room", missed=False)

    def _tell(self, event: str, *, missed: bool) -> None:
        if missed != self._is_missed:
            self._is_missed = missed
            log.warning(event, worker=self._name)
