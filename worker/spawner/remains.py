"""Finds and ends what a cell leaves running: its process group, and orphans that left the group."""

import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROUND_SECONDS = 0.001


def end_group(leader: int) -> None:
    """Kill the group of a cell that is dead and not yet reaped, all at once.

    Until it is reaped its number is taken, so this can hit no stranger.
    """
    with suppress(ProcessLookupError):  # it died before it had a group of its own
        os.killpg(leader, signal.SIGKILL)


def end_orphans(*, but: Collection[int], seconds: float) -> None:
    """Kill and reap every child of this process except `but`, for some seconds at most.

    Being a subreaper, the spawner inherits each process whose parent in a cell has ended.
    """
    deadline = time.monotonic() + seconds
    while orphans := children() - set(but):
        for pid in orphans:
            os.kill(pid, signal.SIGKILL)  # our own child, not reaped: the number is its own
            os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline:
            return
        time.sleep(ROUND_SECONDS)


def children() -> set[int]:
    """Return the children of this process, which has one thread; zombies too."""
    try:
        listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
        return set(map(int, listed.split()))
    except FileNotFoundError:  # a kernel without CONFIG_PROC_CHILDREN
        return searched_children()


def searched_children() -> set[int]:
    """Return the same from a look at every process of the machine, which takes longer."""
    return {process.pid for process in _processes() if process.parent == os.getpid()}


def end_session(session: int) -> None:
    """Kill what is left of a session whose leader is dead; leave one that has a leader alone.

    For the worker, whose spawner was killed and can no longer do it. A number is free for reuse
    only when nobody is left in the session, and who takes it then is a leader.
    """
    members = [found for found in _processes() if found.session == session and not found.zombie]
    if all(member.pid != session for member in members):
        for member in members:
            with suppress(ProcessLookupError):
                os.kill(member.pid, signal.SIGKILL)


class _Process(NamedTuple):
    pid: int
    parent: int
    session: int
    zombie: bool


def _processes() -> Iterator[_Process]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # The name stands in brackets and may hold anything, brackets too.
            after_name = (folder / "stat").read_text(errors="replace").rpartition(")")[2]
            state, parent, _, session = after_name.split()[:4]
            yield _Process(int(folder.name), int(parent), int(session), zombie=state == "Z")
