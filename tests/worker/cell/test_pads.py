"""The processes that wait in a cell to become programs end with it and own nothing of it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.formats.catalogue import families
from app.formats.family import Family, Needs
from tests.worker.cell.probing import spawner_of, task_of
from tests.worker.spawner.making import NICEST, dead, eventually, gone
from worker.cell.birth import NICENESS
from worker.spawner.client import Spawner, Task

PROGRAMS = "rowmill_programs:convert"
HANG = "rowmill_misbehave_convert:convert"


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), PROGRAMS, HANG) as spawner:
        yield spawner


def test_pads_that_nobody_used_end_with_the_cell(spawner: Spawner, scratch: Path) -> None:
    with spawner.cell(hanging(scratch, programs=3)) as cell:
        pads = pads_of(cell.pid, 3)
        cell.kill()
        assert cell.wait(timeout=10)
        assert gone(cell.pid, *pads)
    assert psutil.Process(spawner.pid).children(recursive=True) == []


def test_a_program_that_runs_ends_with_the_cell(spawner: Spawner, scratch: Path) -> None:
    options = {"run": [["/bin/sleep", "60"]]}
    task = task_of(scratch, PROGRAMS, options=options, needs=Needs(programs=2))
    with spawner.cell(task) as cell:
        pads = pads_of(cell.pid, 2)
        eventually(lambda: "sleep" in {psutil.Process(pad).name() for pad in pads})
        cell.kill()
        assert cell.wait(timeout=10)
        assert gone(cell.pid, *pads)


def test_programs_and_pads_die_with_a_spawner_that_was_killed(scratch: Path) -> None:
    options = {"run": [["/bin/sleep", "60"]]}
    task = task_of(scratch, PROGRAMS, options=options, needs=Needs(programs=2))
    with (
        spawner_of(os.getuid(), PROGRAMS) as spawner,
        spawner.cell(task) as cell,
    ):
        pads = pads_of(cell.pid, 2)
        eventually(lambda: "sleep" in {psutil.Process(pad).name() for pad in pads})
        os.kill(spawner.pid or 0, signal.SIGKILL)
        eventually(lambda: dead(cell.pid, *pads))


def test_pads_stand_back_when_memory_or_cpus_are_short(spawner: Spawner, scratch: Path) -> None:
    with spawner.cell(hanging(scratch, programs=1)) as cell:
        [pad] = pads_of(cell.pid, 1)
        assert Path(f"/proc/{pad}/oom_score_adj").read_text() == "1000\n"
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, pad) == min(ours + NICENESS, NICEST)


@pytest.mark.parametrize("family", families(), ids=lambda family: family.kind)
def test_memory_is_limited_in_every_process_of_a_cell_of_any_family(
    spawner: Spawner, scratch: Path, family: Family
) -> None:
    """What one has in memory is never more than the addresses that it may have: nobody watches."""
    task = task_of(scratch, HANG, options={"how": "hang"}, needs=family.needs)
    most = f"Max address space {task.memory_bytes} {task.memory_bytes} bytes"
    with spawner.cell(task) as cell:
        its = (cell.pid, *pads_of(cell.pid, family.needs.programs))
        eventually(lambda: all(most in limits_of(process) for process in its))


@pytest.mark.skipif(os.getuid() != 0, reason="only root may look at what is closed to its owner")
def test_a_pad_holds_no_pipe_of_another_and_no_channel_of_the_cell(
    spawner: Spawner, scratch: Path
) -> None:
    with spawner.cell(hanging(scratch, programs=3)) as cell:
        pads = pads_of(cell.pid, 3)
        eventually(lambda: all(len(held_by(pad)) == 4 for pad in pads))
        pipes = [one for pad in pads for one in held_by(pad) if one.startswith("pipe")]
        assert len(pipes) == len(set(pipes)) == 9  # what to run, stdout, stderr


def limits_of(process: int) -> str:
    """Return the limits of a process, soft and hard, with a space between two words."""
    return " ".join(Path(f"/proc/{process}/limits").read_text().split())


def held_by(process: int) -> list[str]:
    """Return what the descriptors of a process are."""
    return [str(link.readlink()) for link in Path(f"/proc/{process}/fd").iterdir()]


def hanging(scratch: Path, *, programs: int) -> Task:
    return task_of(scratch, HANG, options={"how": "hang"}, needs=Needs(programs=programs))


def pads_of(cell: int, count: int) -> list[int]:
    """Return the pads of a cell, once all of them are there."""
    eventually(lambda: len(psutil.Process(cell).children()) == count)
    return [child.pid for child in psutil.Process(cell).children()]
