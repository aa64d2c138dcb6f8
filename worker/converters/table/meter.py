"""How far a table is, pass after pass over it."""

from worker.converters.progress import Meter, Progress


class TableMeter(Meter):
    """Tells of passes."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._stage = "reading"
        self._start = self._until = 0.0

    def begin(self, stage: str, *, until: float) -> None:
        """Begin a pass that takes the conversion from where it is to `until`."""
        self._stage, self._start, self._until = stage, self.value, until
        self.tell(0.0)

    def tell(self, done: float) -> None:
        """Tell which part of the pass is done, from 0 to 1; cheap to call for every batch."""
        part = min(max(done, 0.0), 1.0)
        self.reach(self._start + (self._until - self._start) * part, self._stage)
