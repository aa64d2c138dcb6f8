"""How far LibreOffice is, by its own word or by the time that it has used."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from worker.converters.progress import Meter, Progress

TICK = 0.1
_BYTES_A_SECOND = 400_000  # of a file, which LibreOffice reads and lays out, or writes


class OfficeMeter(Meter):
    """Tells of stages of which LibreOffice may tell little.

    It says how much it has read of some formats, and nothing of the rest. There the number nears
    the end of the stage by the processor time that is used up, half of the way in the time that a
    file of this size is likely to take: it stands still when LibreOffice does.
    """

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.size = 0
        self._stage, self._start, self._until = "", 0.0, 0.0

    def told(self, percent: int) -> None:
        """Take LibreOffice's word for how much of the stage is done."""
        done = min(max(percent, 0), 100) / 100
        self.reach(self._start + (self._until - self._start) * done, self._stage)

    @contextmanager
    def watched(self, stage: str, *, until: float) -> Iterator[None]:
        """Tell, during this stage, how the number grows towards `until`."""
        self._stage, self._start, self._until = stage, self.value, until
        ended = threading.Event()
        watching = threading.Thread(target=self._watch, args=(ended,), daemon=True)
        watching.start()
        try:
            yield
        finally:
            ended.set()
            watching.join()
        self.reach(until, stage)

    def _watch(self, ended: threading.Event) -> None:
        usual = 0.5 + self.size / _BYTES_A_SECOND
        begun = time.process_time()
        while not ended.wait(TICK):
            used = time.process_time() - begun
            self.reach(
                self._start + (self._until - self._start) * used / (used + usual), self._stage
            )
