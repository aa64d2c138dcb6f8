"""What one null job costs through the spawner, beside a Python of its own for each job.

    python -m bench.spawner [jobs]

All do nothing: the difference is the cost of isolation, which is the full cell with all its layers.
The budget is a median below 15 ms with the image libraries in memory.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

import psutil

from app.formats.family import Needs
from worker.cell.task import Task
from worker.spawner.client import Spawner

BUDGET_MS = 15.0
IMAGE = "worker.converters.image:convert"
NULL = "rowmill_misbehave_convert:convert"
PLUGIN = Path(__file__).parents[1] / "tests" / "plugin"


def main() -> int:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as scratch:
        task = _null_task(Path(scratch))
        small = _through_spawner(task, jobs, converters=[NULL])
        large = _through_spawner(task, jobs, converters=[NULL, IMAGE])
        with_pads = replace(task, needs=Needs(programs=2))
        pads = _through_spawner(with_pads, jobs, converters=[NULL, IMAGE])
    plain = _timed(_fork_and_exec, max(20, jobs // 5))
    print(f"\n{jobs} null jobs, one after the other; milliseconds\n")
    print(f"{'':34}{'median':>8}{'p95':>8}{'a second':>10}")
    padded = (f"{pads[0]}, two pads", pads[1])
    for name, times in (*[small, large, padded], ("fork + exec of `python -c pass`", plain)):
        print(f"{name:34}{median(times):8.2f}{_p95(times):8.2f}{1000 / median(times):10.0f}")
    ratio = median(plain) / median(large[1])
    print(f"\nA job through the spawner costs 1/{ratio:.1f} of a Python of its own.")
    return 0 if median(large[1]) < BUDGET_MS else 1


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
