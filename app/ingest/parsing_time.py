"""How long the multipart parser may work for what it is fed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.ingest.refusals import BadMultipart

# Honest forms were measured at 2.4 to 6 GB/s and 10 us a piece. Boundaries that almost match bring
# the parser down to 5 to 37 MB/s, and the event loop to a standstill.
GRACE_SECONDS = 0.25
SECONDS_PER_BYTE = 1 / 100_000_000
SECONDS_PER_PIECE = 100e-6


class ParsingTime:
    """Adds up the processor time of this thread, so that a busy machine blames nobody."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._allowed = GRACE_SECONDS

    @contextmanager
    def spent_on(self, length: int) -> Iterator[None]:
        """Measure the parsing of `length` bytes; raise BadMultipart if it takes too long by now."""
        began = time.thread_time()
        yield
        self._spent += time.thread_time() - began
        self._allowed += SECONDS_PER_PIECE + SECONDS_PER_BYTE * length
        if self._spent > self._allowed:
            raise BadMultipart("it is made in a way that takes too long to read")
