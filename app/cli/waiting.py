"""Waiting for signals in plain order, with no handler that could interrupt a line in between."""

import signal
import sys

STOPS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


def hold_signals() -> None:
    """Keep signals waiting, from here on, until they are asked for."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS | {signal.SIGCHLD})


def stop_wanted() -> bool:
    """Tell whether somebody wants to stop, and leave the signal for `next_signal`."""
    return bool(STOPS & signal.sigpending())


def next_signal(seconds: float) -> int | None:
    """Return a signal to stop, SIGCHLD, or None when none came in time."""
    found = signal.sigtimedwait(STOPS | {signal.SIGCHLD}, max(0.0, seconds))
    return None if found is None else found.si_signo


def say(line: str) -> None:
    """Tell the person at the terminal, if it is still there."""
    try:
        print(line, flush=True)
    except OSError:
        sys.stdout = sys.stderr  # the reader is gone; nothing may fail because of it
