"""How far one conversion is: one number that only grows, and the name of the stage."""

from collections.abc import Callable

Progress = Callable[[float, str], None]

OPENED = 0.05
DONE = 0.95


class Meter:
    """Reports to `progress`; `value` is the last number that was told."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.value = 0.0

    def reach(self, value: float, stage: str) -> None:
        """Tell that the conversion has come to `value`, or is still where it was."""
        self.value = max(self.value, min(value, 0.99))
        self._progress(self.value, stage)

    def page(self, place: int, count: int) -> Callable[[float], None]:
        """Return how to tell which part of a page is done, the `place`-th (from 0) of `count`."""
        stage = f"page {place + 1} of {count}"

        def part(done: float) -> None:
            self.reach(OPENED + (DONE - OPENED) * (place + done) / count, stage)

        part(0.0)
        return part
