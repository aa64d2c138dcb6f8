"""The life of a cell: it is born, confined, converts one file, says how it went, and is gone."""

import errno
import importlib
import os
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from worker.cell.birth import OUT, be_born
from worker.cell.confine import confine
from worker.cell.report import Reporter
from worker.cell.task import Task
from worker.outcome import Broken, Outcome

UNBORN = 125  # the exit code of a cell that ended before, or instead of, telling an outcome

_CODES = {
    errno.EFBIG: "result_too_large",
    errno.ENOMEM: "memory_limit",
    errno.ENOSPC: "storage_unavailable",
    errno.EDQUOT: "storage_unavailable",
    errno.EIO: "storage_unavailable",
    errno.EROFS: "storage_unavailable",
    errno.ESTALE: "storage_unavailable",
}


def live(task: Task, *, parent: int, out: int, stderr: int) -> NoReturn:
    """Run the task in this process, a forked child of the spawner `parent`; never returns."""
    code = UNBORN
    try:
        be_born(task, parent=parent, out=out, stderr=stderr)
        reporter = Reporter(socket.socket(fileno=OUT))
        reporter.outcome(_converted(task, reporter.progress))
        code = 0
    except BaseException:  # noqa: BLE001 - nothing may escape into the spawner's loop
        traceback.print_exc()
    finally:
        os._exit(code)  # no clean-up: it would be the spawner's


def load(convert: str) -> Callable[..., Any]:
    """Import "module:function" and return the function."""
    module, _, function = convert.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loaded


def _converted(task: Task, progress: Callable[[float, str], None]) -> Outcome:
    try:
        convert = load(task.convert)
        limits = load("worker.converters.limits:Limits")(**task.limits)
        confine(task)
        outcome: Outcome = convert(
            Path(task.source),
            Path(task.target),
            source_format=task.source_format,
            target_format=task.target_format,
            options=task.options,
            limits=limits,
            progress=progress,
        )
    except MemoryError:
        return Broken("memory_limit")  # and no traceback, which would need memory
    except BaseException as error:  # noqa: BLE001 - SystemExit too
        return Broken(_code(error), log=traceback.format_exc())
    return outcome


def _code(error: BaseException) -> str:
    number = error.errno if isinstance(error, OSError) else None
    return _CODES.get(number or 0, "converter_crashed")
