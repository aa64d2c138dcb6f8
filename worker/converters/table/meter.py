"""How far one conversion is: one number that only grows, and the name of the stage."""

from collections.abc import Callable

Progress = Callable[[float, str], None]


class Meter:
    """Reports to `progress`, pass after pass over the table."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stage = "reading"
        self._start = self._until = self._value = 0.0

    def begin(self, stage: str, *, until: float) -> None:
        """Begin a pass that takes the conversion from where it is to `until`."""
        self._stage, self._start, self._until = stage, self._value, until
        self.tell(0.0)

    def tell(self, done: float) -> None:
        """Tell which part of the pass is done, from 0 to 1; cheap to call for every batch."""
        reached = self._start + (self._until - self._start) * min(max(done, 0.0), 1.0)
        self._value = max(self._value, min(reached, 0.99))
        self._progress(self._value, self._stage)
