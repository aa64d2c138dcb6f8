"""The life of a cell: it is born, confined, converts one file, says how it went, and is gone."""

import errno
import functools
import importlib
import os
import socket
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from worker.cell.birth import OUT, be_born
from worker.cell.confine import confine
from worker.cell.report import CRAMPED, UNCONFINED, Reporter
from worker.cell.task import Task
from worker.outcome import Broken, Outcome

UNBORN = 124  # the exit code of a cell that ended before, or instead of, telling an outcome

_CODES = {
    errno.EAGAIN: "machine_memory",  # what a machine lacks now, it may have a moment later
    errno.EFBIG: "result_too_large",
    errno.ENOMEM: "memory_limit",
    errno.ENOSPC: "storage_unavailable",
    errno.EDQUOT: "storage_unavailable",
    errno.EIO: "storage_unavailable",
    errno.EROFS: "storage_unavailable",
    errno.ESTALE: "storage_unavailable",
}
_SHORTAGES = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class NotConfined(Exception):
    """A layer of the sandbox could not be put up, or did not hold; `code` is to exit with."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(f"{type(reason).__name__}: {reason}")
        short = isinstance(reason, OSError) and reason.errno in _SHORTAGES
        self.code = CRAMPED if short else UNCONFINED


def live(task: Task, *, parent: int, out: int, stderr: int) -> NoReturn:
    """Run the task in this process, a forked child of the spawner `parent`; never returns."""
    code = UNBORN
    try:
        be_born(task, parent=parent, out=out, stderr=stderr)
        reporter = Reporter(socket.socket(fileno=OUT))
        reporter.outcome(_converted(task, reporter))
        code = 0
    except NotConfined as reason:
        os.write(2, f"{reason}\n".encode())
        code = reason.code
    except BaseException:  # noqa: BLE001 - nothing may escape into the spawner's loop
        traceback.print_exc()
    finally:
        os._exit(code)  # no clean-up: it would be the spawner's


@functools.cache  # the spawner looks once, and every cell is forked with the answer
def load(convert: str) -> Callable[..., Any]:
    """Import "module:function" and return the function."""
    module, _, function = convert.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loaded


def _converted(task: Task, reporter: Reporter) -> Outcome:
    try:
        convert = load(task.convert)
        limits = load("worker.converters.limits:Limits")(**task.limits)
        _confine(task)
        reporter.confined()
        outcome: Outcome = convert(
            Path(task.source),
            Path(task.target),
            source_format=task.source_format,
            target_format=task.target_format,
            options=task.options,
            limits=limits,
            progress=reporter.progress,
        )
    except MemoryError:
        return Broken("memory_limit")  # and no traceback, which would need memory
    except NotConfined:
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit too
        return Broken(_code(error), log=traceback.format_exc())
    return outcome


def _confine(task: Task) -> None:
    try:
        confine(task)
    except MemoryError:
        raise
    except Exception as error:
        raise NotConfined(error) from error


def _code(error: BaseException) -> str:
    number = error.errno if isinstance(error, OSError) else None
    return _CODES.get(number or 0, "converter_crashed")
