"""Decides how a conversion ended from how its process ended, what it said and what it printed."""

import re
import signal
from dataclasses import replace

from app.failures import CATALOGUE
from worker.cell.report import CRAMPED, UNCONFINED
from worker.cell.task import Task
from worker.outcome import Broken, Converted, Refused
from worker.spawner.hearsay import Hearsay
from worker.spawner.message import Ending

# What native code prints before it gives up for want of memory: C++, glib, glibc, Rust, ffmpeg.
_OUT_OF_MEMORY = re.compile(
    r"bad_alloc|out of memory|cannot allocate memory|failed to allocate|memory allocation",
    re.IGNORECASE,
)


class Unconfined(Exception):
    """The cell could not be confined and ended before it read anything; the text says why.

    `passing` tells that the machine was short of something, so that it may work a moment later.
    """

    def __init__(self, reason: str, *, passing: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing


def verdict(
    task: Task, ending: Ending | None, hearsay: Hearsay, *, killed: bool, stderr: str
) -> Converted | Refused | Broken:
    """Return the outcome; `ending` is None when the spawner died and could not tell.

    Raise Unconfined when there was no sandbox. A file that took over its cell cannot bring this
    about and have its job tried for ever: it was read after the cell had said that it is confined.
    """
    outcome = _judged(task, ending, hearsay, killed=killed, stderr=stderr)
    if isinstance(outcome, Broken) and outcome.detail is None:
        return replace(outcome, detail=_detail(outcome.code, task))
    return outcome


def too_large(limit_bytes: int) -> str:
    """Return the sentence of a result, or of what it is made from, that takes too much room."""
    limit = f"The limit is {limit_bytes:,} bytes, four times ROWMILL_MAX_UPLOAD_BYTES."
    return f"{CATALOGUE['result_too_large'].sentence} {limit}"


def _detail(code: str, task: Task) -> str | None:
    """Return a sentence with the limit that was met; None where there was none."""
    match code:
        case "memory_limit":
            return f"{CATALOGUE[code].sentence} The limit is {task.memory_bytes:,} bytes."
        case "time_limit":
            limit = f"The limit is {task.cpu_seconds:,} seconds of processor time."
            return f"{CATALOGUE[code].sentence} {limit}"
        case "result_too_large":
            return too_large(task.file_bytes)
    return None


def _judged(
    task: Task, ending: Ending | None, hearsay: Hearsay, *, killed: bool, stderr: str
) -> Converted | Refused | Broken:
    said = hearsay.said
    if ending is None:
        return Broken("converter_crashed", log="the spawner died, and its cells with it")
    if ending.code in {UNCONFINED, CRAMPED} and not hearsay.confined:
        raise Unconfined(stderr or "no reason was given", passing=ending.code == CRAMPED)
    if said is not None and (ending.code == 0 or not isinstance(said, Converted)):
        return said
    if ending.signal is None:
        code, reason = "converter_crashed", f"exit code {ending.code} without an outcome"
    elif killed:
        code, reason = "converter_crashed", "the worker ended it"
    else:
        code, reason = _cause(task, ending, stderr=stderr)
    return Broken(code, log="\n".join(filter(None, [reason, hearsay.nonsense, stderr])))


def _cause(task: Task, ending: Ending, *, stderr: str) -> tuple[str, str]:
    reason = f"killed by {_name(ending.signal or 0)}"
    if ending.signal == signal.SIGXFSZ:
        return "result_too_large", reason
    if _used_up_its_time(task, ending):
        return "time_limit", f"{reason} after {ending.cpu_seconds:.1f} s of CPU time"
    if ending.signal == signal.SIGKILL:
        return "machine_memory", f"{reason} from outside: most likely the machine was out of memory"
    if _OUT_OF_MEMORY.search(stderr):
        return "memory_limit", reason
    return "converter_crashed", reason


def _used_up_its_time(task: Task, ending: Ending) -> bool:
    """SIGXCPU says so; a SIGKILL at the hard limit is for who ignored it."""
    overdue = ending.cpu_seconds > task.cpu_seconds
    return ending.signal == signal.SIGXCPU or (ending.signal == signal.SIGKILL and overdue)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has a number only
        return f"signal {number}"
