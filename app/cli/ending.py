"""Ending a program: asked first, hastened when somebody insists, killed when time is up."""

import signal
import subprocess
import time

from app.cli.waiting import STOPS, next_signal

ASK_AGAIN_SECONDS = 0.3


def finish(process: subprocess.Popen[bytes]) -> int | None:
    """Wait for a program that ends by itself; None when it was ended to stop sooner."""
    while process.poll() is None:
        if next_signal(1.0) in STOPS:
            Ending().end(process, patience=5)
            return None
    return process.returncode


class Ending:
    """Ends programs one after the other; each further Ctrl-C meanwhile hastens all that follow."""

    def __init__(self) -> None:
        self.haste = 0

    def end(
        self,
        process: subprocess.Popen[bytes] | None,
        *,
        patience: float,
        insist: signal.Signals = signal.SIGTERM,
    ) -> None:
        """Send SIGTERM; in haste also `insist`; after `patience` seconds or more haste SIGKILL."""
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        deadline, insisted = time.monotonic() + patience, False
        while process.poll() is None:
            # A second signal that comes too soon melts into the first.
            if next_signal(ASK_AGAIN_SECONDS) in STOPS:
                self.haste += 1
            elif self.haste and not insisted:
                process.send_signal(insist)
                insisted = True
            if self.haste > 1 or time.monotonic() > deadline:
                process.kill()
                process.wait()
