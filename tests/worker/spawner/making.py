"""Makes tasks for cells, and says what is left of processes."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import psutil

from worker.spawner.client import Cell, Task

TESTS = Path(__file__).parents[2]
PYTHON_PATH = [str(TESTS / "plugin"), str(Path(__file__).parent / "converters")]
LOOK = "rowmill_look:convert"
MISBEHAVE = "rowmill_misbehave_convert:convert"
WAITS = "rowmill_waits:convert"
NICEST = 19  # Linux knows no more
UNFILTERED = "rowmill_unfiltered:convert"  # in its own spawner, whose cells may fork


class MakeTask(Protocol):
    def __call__(self, how: str = "null", **changes: Any) -> Task: ...


class Convert(Protocol):
    def __call__(self, how: str = "null", **changes: Any) -> Cell: ...


def task_in(scratch: Path, how: str, **changes: Any) -> Task:
    """Make a private scratch folder and a task in it; `changes` are of the task or its options."""
    scratch.mkdir(mode=0o700)
    (scratch / "input.png").write_bytes(b"a picture")
    chosen = {name: changes.pop(name) for name in ("seconds", "progress_steps") if name in changes}
    values: dict[str, Any] = {
        "convert": MISBEHAVE,
        "scratch": scratch,
        "source": "input.png",
        "target": "output.nap",
        "source_format": "png",
        "target_format": "nap",
        "options": {"how": how} | chosen,
        "limits": {"max_pixels": 1000},
        "memory_bytes": 1024**3,
        "cpu_seconds": 60,
        "file_bytes": 10 * 1024**2,
    }
    return Task(**values | changes)


def eventually(condition: Callable[[], object]) -> None:
    """Poll a condition until it holds, for forty seconds at most: orphans live on for longer."""
    deadline = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < deadline, "it did not come true within 40 s"
        time.sleep(0.005)


def hasten(cell: int) -> None:
    """Let a cell have its share of a busy machine, where it would be served last.

    Only root may; without it what takes a second of processor time can take minutes.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, cell, 0)
        Path(f"/proc/{cell}/autogroup").write_text("0")


def gone(*pids: int | None) -> bool:
    """Tell whether no process has any of these pids; a zombie still has its own."""
    return not any(pid and psutil.pid_exists(pid) for pid in pids)


def dead(*pids: int | None) -> bool:
    """Tell whether none of these runs any more.

    Some may be zombies that the machine's own init has yet to reap: their parent was killed.
    """
    return all(gone(pid) or _is_zombie(pid) for pid in pids)


def left_pid(scratch: Path) -> int:
    """Return the process that the cell of this scratch folder has forked, once it has."""
    note = scratch / "left.pid"
    eventually(note.exists)
    return int(note.read_text())


def descriptors() -> set[tuple[str, str]]:
    """Return the descriptors of this process; what earlier tests left may go at any time."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add((link.name, str(link.readlink())))
    return {(number, place) for number, place in found if not place.startswith("/proc/")}


def _is_zombie(pid: int | None) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
