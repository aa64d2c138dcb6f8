"""The end of a worker: no more claims, a grace for what runs, and a last chance to record it."""

import time

from app.log import get_logger
from worker.slots import Slots

log = get_logger()
LAST_WORDS_SECONDS = 10.0
STUCK_SECONDS = 10.0


class Drain:
    """Whether this worker drains, until when it waits, and whether it is done."""

    def __init__(self, *, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._said = False
        self._quiet_since: float | None = None
        self.ends: float | None = None

    def begin(self) -> None:
        """Begin to drain; called again: end the grace at once. Safe in a signal handler."""
        grace = self._grace_seconds if self.ends is None else 0
        self.ends = time.monotonic() + grace

    @property
    def begun(self) -> bool:
        """Whether nothing more is claimed."""
        return self.ends is not None

    def further(self, slots: Slots) -> None:
        """Say that it drains, and end all cells when the grace is over."""
        if self.ends is None:
            return
        left = max(0.0, self.ends - time.monotonic())
        if not self._said:
            self._said = True
            log.info("worker.draining", busy=len(slots.running), grace=round(left, 1))
        if left == 0:
            slots.end_all()

    def over(self, slots: Slots) -> bool:
        """Tell whether everything is recorded, or the database will not take it any more."""
        if self.ends is None:
            return False
        if not slots.running:
            return True
        if time.monotonic() > self.ends + STUCK_SECONDS:
            return True  # a thread hangs on storage: its job is given back without it
        # Outcomes that the database does not take now are adopted by another worker.
        if any(running.report is None for running in slots.running.values()):
            self._quiet_since = None
            return False
        self._quiet_since = self._quiet_since or time.monotonic()
        return time.monotonic() > self._quiet_since + LAST_WORDS_SECONDS

    def next_due(self) -> float:
        """Return when it has to be looked at again."""
        soon = time.monotonic() + 0.5
        return soon if self.ends is None else max(self.ends, soon)
