"""Closes a process's memory and environment to other processes of the same user."""

from worker.cell.prctl import PR_GET_DUMPABLE, PR_SET_DUMPABLE, prctl


def make_undumpable() -> None:
    """Hide /proc/self/environ, maps and mem from the same user, and forbid ptrace and core dumps.

    It holds until the next exec and is inherited by fork.
    """
    prctl(PR_SET_DUMPABLE, 0)


def make_dumpable() -> None:
    """Give /proc/self back to its user, who may write nothing there otherwise."""
    prctl(PR_SET_DUMPABLE, 1)


def is_dumpable() -> bool:
    return prctl(PR_GET_DUMPABLE) == 1
