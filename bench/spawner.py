"""What one null job costs through the spawner, beside a Python of its own for each job.

    python -m bench.spawner [jobs]

All do nothing: the difference is the cost of isolation, which is the full cell with all its layers.
The budget is a median below 15 ms with the image libraries in memory, for a cell without programs.
Each program that a conversion may start costs a process more, made before (worker/cell/pads.py):
that is the price of a program, which takes tens of milliseconds to start by itself, and so the rows
with as many of them as documents and films may have are shown and not judged. The last row is what
confine() alone takes, in forked children; its budget is a median below 5 ms.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import psutil

from app.formats.document import DOCUMENT
from app.formats.family import Needs
from app.formats.media import MEDIA
from worker.cell.confine import confine
from worker.cell.task import Task
from worker.spawner.client import Spawner

BUDGET_MS, CONFINE_BUDGET_MS = 15.0, 5.0
IMAGE = "worker.converters.image:convert"
NULL = "rowmill_misbehave_convert:convert"
PLUGIN = Path(__file__).parents[1] / "tests" / "plugin"


def main() -> int:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as scratch:
        task = _null_task(Path(scratch))
        small = _through_spawner(task, jobs, converters=[NULL])
        large = _through_spawner(task, jobs, converters=[NULL, IMAGE])
        padded = [_with_pads(task, jobs, family.needs.programs) for family in (DOCUMENT, MEDIA)]
        confining = [_confining_ms(task) for _ in range(jobs)]
    plain = _timed(_fork_and_exec, max(20, jobs // 5))
    print(f"\n{jobs} null jobs, one after the other; milliseconds\n")
    print(f"{'':34}{'median':>8}{'p95':>8}{'a second':>10}")
    alone = [("fork + exec of `python -c pass`", plain), ("confine() alone", confining)]
    for name, times in [small, large, *padded, *alone]:
        print(f"{name:34}{median(times):8.2f}{_p95(times):8.2f}{1000 / median(times):10.0f}")
    ratio = median(plain) / median(large[1])
    print(f"\nA job through the spawner costs 1/{ratio:.1f} of a Python of its own.")
    met = median(large[1]) < BUDGET_MS and median(confining) < CONFINE_BUDGET_MS
    return 0 if met else 1


def _null_task(scratch: Path) -> Task:
    return Task(
        convert=NULL,
        scratch=scratch,
        source="input.png",
        target="output.nap",
        source_format="png",
        target_format="nap",
        options={"how": "null"},
        limits={},
        memory_bytes=2 * 1024**3,
        cpu_seconds=60,
        file_bytes=1024**2,
    )


def _through_spawner(task: Task, jobs: int, *, converters: list[str]) -> tuple[str, list[float]]:
    spawner = Spawner(converters=converters, python_path=[str(PLUGIN)])
    spawner.start()
    try:
        resident = psutil.Process(spawner.pid).memory_info().rss // 1024**2
        times = _timed(lambda: _run(spawner, task), jobs)
    finally:
        spawner.stop()
    return f"spawner with {resident} MB loaded", times


def _with_pads(task: Task, jobs: int, programs: int) -> tuple[str, list[float]]:
    may_start = replace(task, needs=Needs(programs=programs))
    name, times = _through_spawner(may_start, jobs, converters=[NULL, IMAGE])
    return f"{name}, {programs} pads", times


def _confining_ms(task: Task) -> float:
    """Confine a forked child, as a cell without programs is; return how long it took, in ms."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.chdir(task.scratch)
            began = time.perf_counter()
            confine(task)
            os.write(writer, struct.pack("d", (time.perf_counter() - began) * 1000))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        taken = told.read()
    os.waitpid(child, 0)
    return float(struct.unpack("d", taken)[0])


def _run(spawner: Spawner, task: Task) -> None:
    with spawner.cell(task) as cell:
        while not cell.wait(timeout=1):
            pass
        cell.outcome()


def _fork_and_exec() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _timed(work: Callable[[], None], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main())
