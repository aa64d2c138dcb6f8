"""When a cell has ended, nothing of it is left: no process, no zombie, no descriptor."""

import os
import subprocess
from typing import Any

import psutil
import pytest

from tests.worker.spawner.making import (
    LOOK,
    UNFILTERED,
    MakeTask,
    dead,
    descriptors,
    eventually,
    gone,
    left_pid,
)
from worker.outcome import Converted
from worker.spawner.client import Spawner, Task
from worker.spawner.remains import children, end_group, end_session, searched_children


@pytest.mark.parametrize("how", ["child", "orphan"])
def test_what_a_cell_forked_is_gone_when_its_end_is_told(
    unfiltered: Spawner, make_task: MakeTask, how: str
) -> None:
    task = make_task(how, convert=UNFILTERED)
    with unfiltered.cell(task) as cell:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)
        assert gone(left_pid(task.scratch))
        assert spawners_children(unfiltered) == []


def test_other_cells_live_on(unfiltered: Spawner, make_task: MakeTask) -> None:
    with unfiltered.cell(make_task("hang", convert=UNFILTERED)) as other:
        task = make_task("orphan", convert=UNFILTERED)
        with unfiltered.cell(task) as cell:
            assert cell.wait(timeout=100)
        assert not other.wait(timeout=0.1)
        assert psutil.Process(other.pid).is_running()


def test_fifty_jobs_leave_nothing_behind(spawner: Spawner, make_task: MakeTask) -> None:
    look = make_task(convert=LOOK)
    [before] = run(spawner, look, times=1)
    mine = descriptors()
    run(spawner, make_task(), times=50)
    assert descriptors() <= mine
    [after] = run(spawner, look, times=1)
    assert after["spawner"] == before["spawner"]
    assert spawners_children(spawner) == []


def test_thirty_cells_at_once_are_all_told_apart(spawner: Spawner, make_task: MakeTask) -> None:
    cells = [spawner.cell(make_task("sleep", seconds=0.2)) for _ in range(30)]
    assert len({cell.pid for cell in cells}) == 30
    for cell in cells:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)
        cell.close()
    assert spawners_children(spawner) == []


def test_a_session_that_has_a_leader_is_left_alone(
    unfiltered: Spawner, make_task: MakeTask
) -> None:
    """Its number may have passed to a stranger since our leader died."""
    task = make_task("parent", convert=UNFILTERED)
    with unfiltered.cell(task) as cell:
        child = left_pid(task.scratch)
        end_session(cell.pid)
        assert not cell.wait(timeout=0.1)
        assert not gone(child)


def test_a_group_ends_at_once_while_its_dead_leader_is_not_reaped() -> None:
    program = "sleep 60 & echo $!; kill -9 $$"
    with subprocess.Popen(
        ["sh", "-c", program], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout
        follower = int(leader.stdout.readline())
        os.waitid(os.P_PID, leader.pid, os.WEXITED | os.WNOWAIT)
        end_group(leader.pid)
        eventually(lambda: dead(follower))


def test_children_are_found_without_the_help_of_the_kernel_too() -> None:
    # The kernel's list is of one thread; other tests' servers are children of another.
    others = searched_children() - children()
    with subprocess.Popen(["sleep", "60"]) as living, subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # a zombie is a child too
        assert {living.pid, ended.pid} <= children()
        assert children() == searched_children() - others
        living.kill()


def run(spawner: Spawner, task: Task, *, times: int) -> list[dict[str, Any]]:
    facts = []
    for _ in range(times):
        with spawner.cell(task) as cell:
            assert cell.wait(timeout=100)
            outcome = cell.outcome()
        assert isinstance(outcome, Converted)
        facts.append(outcome.facts)
    return facts


def spawners_children(spawner: Spawner) -> list[psutil.Process]:
    """Every descendant, zombies too."""
    return psutil.Process(spawner.pid).children(recursive=True)
