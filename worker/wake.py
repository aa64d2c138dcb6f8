"""What the desk sleeps on: a pipe that any thread or signal can write to, and the seat."""

import os
import select


class Wake:
    """Call it from any thread, or from a signal handler, to end the desk's sleep."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._called = False

    def __call__(self) -> None:
        if self._called:
            return  # it has not looked since the last call
        self._called = True
        try:
            os.write(self._write, b"!")
        except BlockingIOError:
            return  # enough calls lie there already

    def wait(self, seconds: float, other: int | None) -> None:
        """Sleep until called, until the other descriptor is readable, or for so many seconds."""
        poller = select.poll()
        poller.register(self._read, select.POLLIN)
        if other is not None:
            poller.register(other, select.POLLIN)
        poller.poll(seconds * 1000)
        self._empty()
        # Only now: were it before the reading, a call in between would leave the mark and no
        # byte, and nobody could end the next sleep.
        self._called = False

    def _empty(self) -> None:
        try:
            while os.read(self._read, 4096):
                pass
        except BlockingIOError:
            return
