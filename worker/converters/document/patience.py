"""Tells progress while a program or library works that tells none itself."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from worker.converters.progress import Progress

TICK = 0.25
LEAST_SECONDS = 0.5


@contextmanager
def patience(
    progress: Progress, stage: str, *, start: float = 0.05, until: float, seconds: float
) -> Iterator[Callable[[], None]]:
    """Report from `start` to `until`; call what this yields now and then in between.

    It reports more each time, most of the way after the `seconds` that the work should take, and
    slows down: it never arrives by itself, so that work which takes longer still moves.
    """
    expected = max(seconds, LEAST_SECONDS)
    begun = time.monotonic()

    def tell() -> None:
        share = 1 - math.exp(-(time.monotonic() - begun) / expected)
        progress(start + (until - start) * share, stage)

    progress(start, stage)
    yield tell
    progress(until, stage)


@contextmanager
def repeated(tell: Callable[[], None]) -> Iterator[None]:
    """Call it now and then from another thread, for work that leaves this one no time to."""
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(TICK):
            tell()

    telling = threading.Thread(target=go_on, daemon=True)
    telling.start()
    try:
        yield
    finally:
        ended.set()
        telling.join()
