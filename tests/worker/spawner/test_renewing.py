"""A spawner that has become old is renewed: what runs in it is brought to its end."""

import os
import signal

import psutil
import pytest

from tests.worker.spawner.making import WAITS, MakeTask, descriptors, eventually, gone
from worker import nursery
from worker.nursery import Nursery
from worker.outcome import Converted
from worker.spawner import process
from worker.spawner.client import Spawner, SpawnerFailed


@pytest.fixture
def aged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "OLD_CELLS", 2)
    monkeypatch.setattr(nursery, "WORTH", 0)


def test_a_cell_outlasts_the_renewal_of_its_spawner_which_then_ends(
    spawner: Spawner, make_task: MakeTask
) -> None:
    mine, before = descriptors(), spawner.pid
    task = make_task(convert=WAITS)
    with spawner.cell(task) as cell:
        spawner.renew()
        assert spawner.pid != before
        run(spawner, make_task)
        (task.scratch / "go").touch()
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)
    eventually(lambda: spawner.alive() and spawner.may_renew)
    assert gone(before)
    assert len(descriptors() - mine) == 1  # the control channel of the new one


def test_stopping_ends_the_cells_of_the_one_before_too(
    spawner: Spawner, make_task: MakeTask
) -> None:
    before = spawner.pid
    with spawner.cell(make_task("hang")) as cell:
        spawner.renew()
        spawner.stop()
        assert gone(before, spawner.pid, cell.pid)


def test_there_are_two_at_most(spawner: Spawner, make_task: MakeTask) -> None:
    before = spawner.pid
    with spawner.cell(make_task("hang")) as cell:
        spawner.renew()
        assert not spawner.may_renew
        spawner.renew()
        eventually(lambda: gone(before, cell.pid))


def test_a_renewal_that_fails_changes_nothing(
    spawner: Spawner, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, children = spawner.pid, psutil.Process().children()
    monkeypatch.setattr(process, "READY_SECONDS", 0.0)
    with pytest.raises(SpawnerFailed):
        spawner.renew()
    assert spawner.pid == before
    assert set(psutil.Process().children()) <= set(children)
    run(spawner, make_task)


def test_starting_a_dead_one_again_spares_the_one_before(
    spawner: Spawner, make_task: MakeTask
) -> None:
    task = make_task(convert=WAITS)
    with spawner.cell(task) as cell:
        spawner.renew()
        os.kill(spawner.pid or 0, signal.SIGKILL)
        eventually(lambda: not spawner.alive())
        spawner.start()
        (task.scratch / "go").touch()
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)


@pytest.mark.usefixtures("aged")
def test_a_busy_nursery_renews_after_so_many_cells(spawner: Spawner, make_task: MakeTask) -> None:
    keeper, before = Nursery(spawner), spawner.pid
    run(spawner, make_task)
    keeper.keep(busy=True)
    assert spawner.pid == before
    run(spawner, make_task)
    keeper.keep(busy=True)
    assert spawner.pid != before
    assert spawner.cells == 0


@pytest.mark.usefixtures("aged")
def test_it_renews_after_some_time_one_that_was_used(
    spawner: Spawner, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "OLD_SECONDS", 0)
    keeper, before = Nursery(spawner), spawner.pid
    keeper.keep(busy=False)
    assert spawner.pid == before
    run(spawner, make_task)
    keeper.keep(busy=False)
    assert spawner.pid != before


def test_it_spends_little_time_on_renewals(
    spawner: Spawner, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "OLD_CELLS", 1)
    monkeypatch.setattr(nursery, "WORTH", 10_000)
    before = spawner.pid
    run(spawner, make_task)
    Nursery(spawner).keep(busy=True)
    assert spawner.pid == before


@pytest.mark.usefixtures("aged")
def test_a_renewal_that_fails_is_tried_again_later(
    spawner: Spawner, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nursery, "SHORTEST_PAUSE_SECONDS", 0.01)
    keeper, before = Nursery(spawner), spawner.pid
    run(spawner, make_task, times=2)
    with monkeypatch.context() as patched:
        patched.setattr(process, "READY_SECONDS", 0.0)
        keeper.keep(busy=True)
    assert keeper.ready
    assert spawner.pid == before

    def renewed() -> bool:
        keeper.keep(busy=True)
        return spawner.pid != before

    eventually(renewed)


def run(spawner: Spawner, make_task: MakeTask, *, times: int = 1) -> None:
    for _ in range(times):
        with spawner.cell(make_task()) as cell:
            assert cell.wait(timeout=100)
            assert isinstance(cell.outcome(), Converted)
