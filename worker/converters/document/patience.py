"""Tells progress while a program or library works that tells none itself."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TICK = 0.25
LEAST_SECONDS = 0.5


@contextmanager
def patience(
    progress: Callable[[float, str], None],
    stage: str,
    *,
    start: float = 0.05,
    until: float,
    seconds: float,
) -> Iterator[None]:
    """Report from `start` towards `until`, most of the way after the `seconds` it should take.

    It slows down and never arrives by itself, so that work which takes longer still moves.
    """
    ended = threading.Event()
    expected = max(seconds, LEAST_SECONDS)
    telling = threading.Thread(
        target=_tell, args=(progress, stage, start, until, expected, ended), daemon=True
    )
    progress(start, stage)
    telling.start()
    try:
        yield
    finally:
        ended.set()
        telling.join()
    progress(until, stage)


def _tell(
    progress: Callable[[float, str], None],
    stage: str,
    start: float,
    until: float,
    expected: float,
    ended: threading.Event,
) -> None:
    begun = time.monotonic()
    while not ended.wait(TICK):
        share = 1 - math.exp(-(time.monotonic() - begun) / expected)
        progress(start + (until - start) * share, stage)
