"""The plain side of the conversions' bench: the same library or program, called from a shell."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from app.formats import catalogue
from bench.convert_cases import Case
from worker.cell.birth import NICENESS
from worker.cell.conversion import load
from worker.converters import program
from worker.converters.limits import Limits


def cpu_ms(case: Case, place: Path, *, times: int = 3) -> list[float]:
    """Return the CPU milliseconds of so many conversions, whose processes are as nice as a cell."""
    # Linux counts niceness by threads, and what a thread starts inherits it.
    with ThreadPoolExecutor(1, initializer=os.nice, initargs=(NICENESS,)) as nice:
        return nice.submit(_cpu_ms, case, place, times).result()


def _cpu_ms(case: Case, place: Path, times: int) -> list[float]:
    if case.script:
        script = _in_python(f"{case.imports}\n{case.script}")
        alone = median(_cpu([_in_python(case.imports)], place, times))
        return [whole - alone for whole in _cpu([script], place, times)]
    if case.command:
        argv = [part.format(place=str(place).lstrip("/")) for part in case.command]
        private = {**os.environ, "TMPDIR": str(place)}  # LibreOffice leaves files there
        subprocess.run(argv, cwd=place, env=private, check=False, capture_output=True)  # profile
        return _cpu([Command(argv, private)], place, times)
    return _cpu(_commands(case, place), place, times)


@dataclass(frozen=True)
class Command:
    argv: list[str]
    environment: dict[str, str] | None = None


def _in_python(script: str) -> Command:
    return Command([sys.executable, "-c", script])


def _commands(case: Case, place: Path) -> list[Command]:
    """Return the command lines that the converter runs, with their environment."""
    family = catalogue.family_of_kind(case.kind)
    assert family is not None
    seen: list[Command] = []
    start = program._start  # noqa: SLF001 - the one place where programs begin

    def noted(argv: list[str], environment: dict[str, str]) -> Any:
        seen.append(Command(argv, environment))
        return start(argv, environment)

    program._start = noted  # noqa: SLF001
    try:
        with _inside(place):
            load(family.convert)(
                Path(f"input.{case.source}"),
                Path(f"output.{case.target}"),
                source_format=case.source,
                target_format=case.target,
                options={},
                limits=Limits(),
                progress=lambda *_: None,
            )
    finally:
        program._start = start  # noqa: SLF001
    return seen


@contextmanager
def _inside(place: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)


def _cpu(commands: Sequence[Command], place: Path, times: int) -> list[float]:
    """Return the CPU milliseconds of the processes that run these commands, each time."""
    taken = []
    for _ in range(times):
        before = _children()
        for one in commands:
            subprocess.run(
                one.argv, cwd=place, env=one.environment, check=True, capture_output=True
            )
        taken.append((_children() - before) * 1000)
    return taken


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
