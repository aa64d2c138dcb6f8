"""A cell has its task, its scratch folder and its limits, and nothing of its parents."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.worker.spawner.making import LOOK, NICEST, Convert, MakeTask, eventually
from worker.cell.birth import NICENESS
from worker.outcome import Converted
from worker.spawner.client import Spawner, Task


@pytest.fixture
def task(make_task: MakeTask) -> Task:
    return make_task(convert=LOOK)


@pytest.fixture
def seen(shared_spawner: Spawner, task: Task) -> dict[str, Any]:
    """What a converter sees of its own process."""
    with shared_spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
    outcome = cell.outcome()
    assert isinstance(outcome, Converted), outcome
    return outcome.facts


def test_a_converter_gets_the_task(seen: dict[str, Any], task: Task) -> None:
    assert seen["source"] == "input.png"
    assert seen["target"] == "output.nap"
    assert seen["arguments"]["source_format"] == "png"
    assert seen["arguments"]["target_format"] == "nap"
    assert seen["arguments"]["options"] == task.options
    assert seen["arguments"]["limits"]["max_pixels"] == 1000


def test_it_works_in_the_scratch_folder(seen: dict[str, Any], task: Task) -> None:
    scratch = str(task.scratch)
    assert seen["cwd"] == scratch
    assert seen["tempdir"] == scratch
    assert seen["umask"] == 0o077


def test_it_has_a_small_environment_of_its_own(seen: dict[str, Any], task: Task) -> None:
    assert set(seen["environment"]) == {
        "HOME",
        "LANG",
        "MALLOC_ARENA_MAX",
        "PATH",
        "TMPDIR",
        "VIPS_CONCURRENCY",
    }
    assert seen["environment"]["HOME"] == str(task.scratch)
    assert seen["environment"]["LANG"] == "C.UTF-8"


def test_it_has_four_descriptors_and_a_program_it_starts_has_three(seen: dict[str, Any]) -> None:
    assert seen["descriptors"] == {"0": "null", "1": "null", "2": "pipe", "3": "socket"}
    assert seen["inherited"] == []


@pytest.fixture
def endless_stdin() -> Iterator[None]:
    """Have this process read zeros on its stdin."""
    kept, zeros = os.dup(0), os.open("/dev/zero", os.O_RDONLY)
    os.dup2(zeros, 0)
    yield
    os.dup2(kept, 0)
    os.close(kept)
    os.close(zeros)


@pytest.mark.usefixtures("endless_stdin")
def test_it_has_nothing_to_read_even_if_the_worker_has(spawner: Spawner, task: Task) -> None:
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
        outcome = cell.outcome()
    assert isinstance(outcome, Converted), outcome
    assert outcome.facts["descriptors"]["0"] == "null"


def test_it_leads_a_session_under_the_spawner(
    seen: dict[str, Any], shared_spawner: Spawner
) -> None:
    assert seen["session"] == seen["group"] == seen["pid"]
    assert seen["parent"] == shared_spawner.pid


def test_it_dies_first_when_memory_runs_out(shared_spawner: Spawner, make_task: MakeTask) -> None:
    with shared_spawner.cell(make_task("sleep", seconds=60)) as cell:
        eventually(lambda: cell.wait(timeout=0.05) or cell.stage)
        assert Path(f"/proc/{cell.pid}/oom_score_adj").read_text() == "1000\n"


def test_it_is_served_last_when_cpus_are_short(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    with shared_spawner.cell(make_task("sleep", seconds=60)) as cell:
        eventually(lambda: cell.wait(timeout=0.05) or cell.stage)
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, cell.pid) == min(ours + NICENESS, NICEST)
        session = Path(f"/proc/{cell.pid}/autogroup")
        if session.exists() and os.getuid() == 0:  # others may set it ten times a second only
            assert session.read_text().endswith(f" nice {NICENESS}\n")


def test_other_cells_cannot_look_into_it(seen: dict[str, Any]) -> None:
    assert seen["dumpable"] is False


def test_nothing_that_it_starts_gains_privileges(seen: dict[str, Any]) -> None:
    assert seen["no_new_privileges"] == 1


def test_it_answers_the_signals_that_the_spawner_ignores(seen: dict[str, Any]) -> None:
    assert seen["default_signals"] == [True, True, True]


def test_its_limits_cannot_be_raised_again(seen: dict[str, Any], task: Task) -> None:
    assert seen["limits"] == {
        "AS": [task.memory_bytes, task.memory_bytes],
        "CPU": [task.cpu_seconds, task.cpu_seconds + 2],
        "FSIZE": [task.file_bytes, task.file_bytes],
        "NOFILE": [task.open_files, task.open_files],
        "CORE": [0, 0],
        "MEMLOCK": [0, 0],
        "STACK": [8 * 1024**2, 8 * 1024**2],
    }


def test_a_limit_above_that_of_the_machine_is_no_error(convert: Convert) -> None:
    _, ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert isinstance(convert(open_files=ceiling + 1).outcome(), Converted)
