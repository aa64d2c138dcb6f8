"""How far a document is, page by page."""

from collections.abc import Callable

from worker.converters.progress import Meter

OPENED = 0.05
DONE = 0.95


class PageMeter(Meter):
    """Tells of pages."""

    def page(self, place: int, count: int) -> Callable[[float], None]:
        """Return how to tell which part of a page is done, the `place`-th (from 0) of `count`."""
        stage = f"page {place + 1} of {count}"

        def part(done: float) -> None:
            self.reach(OPENED + (DONE - OPENED) * (place + done) / count, stage)

        part(0.0)
        return part
