"""What the desk does while the database cannot be had: try again, and say so now and then."""

import random
import time

from app.db import is_away, is_full
from app.log import get_logger

log = get_logger()
QUIET_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 2.0


class Trouble:
    """Counts failures in a row; the pauses grow to two seconds, a line is logged each ten."""

    def __init__(self) -> None:
        self.until = 0.0
        self._failures = 0
        self._since: float | None = None
        self._said: float | None = None
        self._is_told = self._is_full = False

    def over(self) -> bool:
        """Whether it is time to try again."""
        return time.monotonic() >= self.until

    def meet(self, error: Exception) -> None:
        """Take note of a failure."""
        now = time.monotonic()
        self._since = self._since or now
        self._failures += 1
        pause = min(LONGEST_PAUSE_SECONDS, 0.1 * 2 ** min(self._failures, 10))
        self.until = now + pause * random.uniform(0.5, 1)  # noqa: S311 - only to spread a crowd
        self._is_full = self._is_full or is_full(error)
        if self._said is None or now - self._said >= QUIET_SECONDS:
            self._said, self._is_told = now, True
            event = self._event(error)
            log.warning(event, seconds=round(now - self._since, 1), reason=_first_line(error))

    def forget(self) -> None:
        """Take note of a success; it is told only after a failure that was."""
        if self._since is not None and self._is_told:
            log.info("database.back", seconds=round(time.monotonic() - self._since, 1))
        self._failures, self._since = 0, None
        self._is_told = self._is_full = False

    def _event(self, error: Exception) -> str:
        if self._is_full:  # a server that died of it only refuses connections now
            return "database.full"
        return "database.away" if is_away(error) else "database.refused"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]
