"""Imports the converters once, so that every cell is forked with them in memory."""

import gc
from collections.abc import Sequence
from pathlib import Path

from worker.cell import paths, seccomp
from worker.cell.conversion import load


def preload(converters: Sequence[str]) -> dict[str, str | None]:
    """Return, for each "module:function", None or the reason why it cannot be used."""
    load("worker.converters.limits:Limits")
    ready = {convert: _reason_against(convert) for convert in converters}
    paths.prepare()
    seccomp.prepare()
    gc.freeze()  # a collection in a cell would touch, and so copy, every page of the libraries
    return ready


def _reason_against(convert: str) -> str | None:
    before = _threads()
    try:
        load(convert)
    except BaseException as error:  # noqa: BLE001 - a converter may even call sys.exit
        return f"{type(error).__name__}: {error}"
    if (more := _threads() - before) > 0:
        threads = "1 thread" if more == 1 else f"{more} threads"
        return f"its import started {threads}; a lock held at a fork would stop a cell for ever"
    return None


def _threads() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())
