"""How far a table is, pass after pass over it."""

from worker.converters.progress import Meter, Progress


class TableMeter(Meter):
    """Tells of passes."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._stage = "reading"
        self._start = self._until = self._base = 0.0

    def begin(self, stage: str, *, until: float) -> None:
        """Begin a pass that takes the conversion from where it is to `until`."""
        self._stage, self._start = stage, self.value
        self._until = self._base + (1.0 - self._base) * until
        self.tell(0.0)

    def begin_again(self) -> None:
        """Have the passes to come share what is left, as no progress is ever taken back."""
        self._base = self.value

    def tell(self, done: float) -> None:
        """Tell which part of the pass is done, from 0 to 1; cheap to call for every batch."""
        part = min(max(done, 0.0), 1.0)
        self.reach(self._start + (self._until - self._start) * part, self._stage)
