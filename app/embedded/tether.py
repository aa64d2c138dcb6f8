"""A child process that ends when this one does, however this one ends."""

import ctypes
import os
import signal
from collections.abc import Callable

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def tether(sign: signal.Signals, *, parent: int | None = None) -> Callable[[], None]:
    """Return the `preexec_fn` of a child to which the kernel sends `sign` when we are gone.

    "We" is the thread that starts the child, so start it from one that stays. subprocess calls
    it after the change of user, which would disarm it. Signals that are blocked here are open
    in the child, which knows nothing of our ways to wait.
    """
    parent = os.getpid() if parent is None else parent

    def arm() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(sign))
        if os.getppid() != parent:  # it died between the fork and the line above
            os.kill(os.getpid(), signal.SIGKILL)

    return arm
