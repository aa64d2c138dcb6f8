"""From where in the lines a worker looks for its next jobs, and when it looks from their start."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.queue import Claimed

SHARE = 0.01  # of a worker's time, for full looks that come before the sweep's


@dataclass(frozen=True)
class Look:
    """One look for jobs: without floors it is a full one."""

    floors: Mapping[str, datetime]
    began: float


class Floor:
    """The floors of one worker: for each kind the place in the line before which nothing was left.

    While a transaction holds the horizon, the index keeps the entries of every job done since,
    and a look from the start of the line walks over all of them. Jobs can appear before a floor:
    their commit was late, they were given back, somebody held their row. So there is a full look
    each sweep, and where nothing was found as soon as it costs little.
    """

    def __init__(
        self, *, sweep_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sweep_seconds = sweep_seconds
        self._clock = clock
        self._floors: dict[str, datetime] = {}
        self._quickest = float("inf")
        self._may = self._must = self._full_due = 0.0
        self.due = 0.0

    def begin(self) -> Look:
        """Begin a look, from the floors or, where that is due, from the start."""
        now = self._clock()
        return Look({} if now >= self._full_due else dict(self._floors), now)

    def end(
        self, look: Look, claimed: Sequence[Claimed], *, rooms: Mapping[str, int], free: int
    ) -> None:
        """Note what a look found for so many free slots; `due` says when the next is needed."""
        seconds = self._clock() - look.began
        self._quickest = min(self._quickest, seconds)
        is_full = not look.floors
        if is_full:
            self._must = look.began + self._sweep_seconds
            self._may = min(self._must, look.began + (seconds - self._quickest) / SHARE)
            self._forget(rooms, is_cut=len(claimed) == free)
        self._rise(claimed, rooms)
        self._full_due = self._must if claimed else self._may
        self.due = self._must if claimed or is_full else self._may

    def _forget(self, rooms: Mapping[str, int], *, is_cut: bool) -> None:
        # A full look that filled every slot has not come to the end of any line, and one for
        # which a kind had no room has not looked at that line at all.
        seen = {} if is_cut else self._floors
        self._floors = {kind: floor for kind, floor in seen.items() if rooms.get(kind)}

    def _rise(self, claimed: Sequence[Claimed], rooms: Mapping[str, int]) -> None:
        # The oldest come first whatever their kind, so that nothing older is left of the others.
        if claimed:
            last = claimed[-1].run_after
            for kind, most in rooms.items():
                if most:
                    self._floors[kind] = max(last, self._floors.get(kind, last))
        for one in claimed:
            self._floors[one.kind] = one.run_after
