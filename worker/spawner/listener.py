"""Reads what a cell writes, so much at a time that a flood slows the cell and not the worker."""

import os
import select
import socket
import time
from collections.abc import Mapping
from contextlib import suppress

from worker.spawner.hearsay import DATAGRAM_LIMIT, Hearsay

SLICE_SECONDS = 0.05
READS_IN_A_SLICE = 200  # at most 4,000 a second, about 250 MB/s of noise and 5 % of a CPU
LAST_READS = 2000  # more than the buffers of a dead cell can hold
CHUNK = 64 * 1024
KEPT_BYTES = 64 * 1024


class Listener:
    """Owns the worker's ends of the cell's channel and error pipe; `printed` is the last 64 KiB."""

    def __init__(self, out: socket.socket, stderr: int) -> None:
        self.hearsay = Hearsay()
        self.printed = bytearray()
        self._out = out
        self._stderr = stderr
        self._open = {out.fileno(), stderr}
        self._reads = 0
        self._slice_ends = 0.0

    def sources(self) -> set[int]:
        """Return what to poll now: nothing while a noisy cell has to wait."""
        return set() if self.resting() > 0 else self._open

    def resting(self) -> float:
        """Return for how many seconds nothing is read."""
        spent = self._reads >= READS_IN_A_SLICE
        return self._slice_ends - time.monotonic() if spent else 0

    def listen(self, ready: Mapping[int, int]) -> None:
        """Read once from each source that poll found ready."""
        if (now := time.monotonic()) >= self._slice_ends:
            self._reads, self._slice_ends = 0, now + SLICE_SECONDS
        for source in self._open & ready.keys():
            self._reads += 1
            # An empty datagram looks like the end, which only the hang-up is.
            if not self._take(source) and ready[source] & select.POLLHUP:
                self._open.remove(source)

    def drain(self) -> None:
        """Read what a dead cell left in the buffers."""
        for _ in range(LAST_READS):
            if not (ready := wait_for(self._open, seconds=0)):
                break
            self.listen(ready)

    def close(self) -> None:
        self._out.close()
        os.close(self._stderr)

    def _take(self, source: int) -> bytes:
        if source == self._stderr:
            data = os.read(self._stderr, CHUNK)
            self.printed += data
            del self.printed[:-KEPT_BYTES]
            return data
        with suppress(OSError):
            # Descriptors that a cell attaches have nowhere to go here, and the kernel closes them.
            data = self._out.recv(DATAGRAM_LIMIT + 1, socket.MSG_DONTWAIT)
            if data:
                self.hearsay.hear(data)
            return data
        return b""


def wait_for(sources: set[int], *, seconds: float) -> dict[int, int]:
    """Return which descriptors are ready, and how; none after some seconds."""
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    return dict(poll.poll(max(0, seconds) * 1000))
