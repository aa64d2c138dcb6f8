"""Five hundred conversions that end in every way leave a machine as it was."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from app.formats.family import Needs
from tests.worker.cell.probing import PYTHON_PATH, task_of
from worker import scratch
from worker.outcome import Broken, Converted, Outcome, Refused
from worker.spawner.client import Spawner

NAP = "rowmill_misbehave_convert:convert"
PROGRAMS = "rowmill_programs:convert"
TRUE: dict[str, object] = {"run": [["/bin/true"]]}
JOBS = 500
KINDS: list[tuple[str, dict[str, object], int, type[Outcome]]] = [
    (NAP, {"how": "null"}, 0, Converted),
    (NAP, {"how": "refuse"}, 0, Refused),
    (NAP, {"how": "exit"}, 0, Broken),
    (PROGRAMS, TRUE, 2, Converted),  # one program of two
    (NAP, {"how": "killed"}, 1, Broken),
    (NAP, {"how": "null"}, 0, Converted),
    (NAP, {"how": "raise"}, 0, Broken),
    (NAP, {"how": "hang"}, 1, Broken),  # ended from outside
    (NAP, {"how": "null"}, 0, Converted),
    (NAP, {"how": "crash"}, 0, Broken),
]


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[NAP, PROGRAMS], python_path=PYTHON_PATH)
    spawner.start()
    yield spawner
    spawner.stop()


def test_five_hundred_jobs_leave_nothing(spawner: Spawner, tmp_path: Path) -> None:
    for number in range(len(KINDS)):
        run(spawner, tmp_path, number)
    me, its = psutil.Process(), psutil.Process(spawner.pid)
    before = (me.num_fds(), me.memory_info().rss, its.memory_info().rss)
    its_descriptors = descriptors(its)
    for number in range(JOBS):
        run(spawner, tmp_path, number)
    assert its.children(recursive=True) == []
    assert list(tmp_path.iterdir()) == []
    assert abs(me.num_fds() - before[0]) <= 2
    assert descriptors(its) <= its_descriptors  # the last cell may have gone meanwhile
    assert me.memory_info().rss - before[1] < 8 * 1024**2
    assert its.memory_info().rss - before[2] < 8 * 1024**2
    assert of_our_session(spawner.pid or 0) == {spawner.pid}


def run(spawner: Spawner, place: Path, number: int) -> None:
    convert, options, programs, kind = KINDS[number % len(KINDS)]
    with scratch.folder(place, uuid4()) as folder:
        (folder / "input.png").write_bytes(b"a picture")
        task = task_of(folder, convert, options=options, needs=Needs(programs=programs))
        with spawner.cell(task) as cell:
            if options.get("how") == "hang":
                cell.kill()
            assert cell.wait(timeout=60)
            assert isinstance(cell.outcome(), kind)


def descriptors(process: psutil.Process) -> int:
    """Return how many descriptors it has, or, if only root may look, for how many it made room."""
    try:
        return process.num_fds()
    except psutil.AccessDenied:
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(status.split("FDSize:")[1].split()[0])


def of_our_session(session: int) -> set[int | None]:
    """Return who is in the spawner's session; cells lead their own and must be gone with it."""
    return {pid for pid in psutil.pids() if _session(pid) == session}


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0
