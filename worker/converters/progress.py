"""How far one conversion is: one number that only grows, and the name of the stage."""

import threading
from collections.abc import Callable

Progress = Callable[[float, str], None]


class Meter:
    """Reports to `progress`; `value` is the last number that was told. Thread-safe."""

    def __init__(self, progress: Progress) -> None:
        self.value = 0.0
        self._progress = progress
        self._lock = threading.Lock()

    def reach(self, value: float, stage: str) -> None:
        """Tell that the conversion has come to `value`, or is still where it was."""
        with self._lock:
            self.value = max(self.value, min(value, 0.99))
            self._progress(self.value, stage)
