"""A cell whose sandbox does not hold ends before it has read anything, and nobody's attempt counts.

A layer that is put up without an error and does nothing is the worst kind: so each cell tries.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.formats.family import Needs
from tests.worker.cell.probing import spawner_of, task_of
from worker.cell import selftest
from worker.outcome import Broken, Converted, Outcome
from worker.spawner.client import Unconfined

NAP = "rowmill_misbehave_convert:convert"
Convert = Callable[..., Outcome]


@pytest.fixture
def convert(scratch: Path) -> Convert:
    """Run one cell whose layers are as named; its converter would leave a file."""

    def run(layers: str, **changes: Any) -> Outcome:
        task = task_of(scratch, NAP, **changes)
        with (
            spawner_of(os.getuid(), f"rowmill_weak:{layers}", NAP) as spawner,
            spawner.cell(task) as cell,
        ):
            assert cell.wait(timeout=60)
            return cell.outcome()

    return run


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ("landlock_forgotten", "a cell can list .*, where the files of others lie"),
        ("filter_forgotten", "a cell can make a network socket"),
        ("filter_forgotten_offline", "no seccomp filter is in force"),
        ("privileges_forgotten", "a cell can gain privileges|Operation not permitted"),
        ("on_abi_0", "the kernel has no Landlock"),
    ],
)
def test_a_layer_that_does_not_hold_ends_the_cell_unread(
    convert: Convert, scratch: Path, layers: str, reason: str
) -> None:
    with pytest.raises(Unconfined, match=reason) as surprise:
        convert(layers)
    assert not surprise.value.passing
    assert not (scratch / "output.nap").exists()


def test_a_folder_that_is_gone_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(selftest.Unconfined, match=r"No such file .*, and not Permission denied"):
        selftest.check([tmp_path / "gone"])


def test_data_that_lie_where_cells_may_read_are_found_out(convert: Convert, scratch: Path) -> None:
    data = scratch.parents[1] / "data"
    with pytest.raises(Unconfined, match=f"a cell can list {data}"):
        convert("whole", needs=Needs(reads=(str(data),)))


def test_other_cells_folders_that_can_be_listed_are_found_out(
    convert: Convert, scratch: Path
) -> None:
    with pytest.raises(Unconfined, match=f"a cell can list {scratch.parent}"):
        convert("whole", needs=Needs(reads=(str(scratch.parent),)))


def test_a_file_cannot_pass_for_a_missing_sandbox(scratch: Path) -> None:
    quits = "rowmill_quits:convert"
    with (
        spawner_of(os.getuid(), quits) as spawner,
        spawner.cell(task_of(scratch, quits)) as cell,
    ):
        assert cell.wait(timeout=60)
        assert isinstance(cell.outcome(), Broken)


def test_a_machine_that_is_short_of_processes_is_told_apart(convert: Convert) -> None:
    with pytest.raises(Unconfined) as shortage:
        convert("cramped")
    assert shortage.value.passing


def test_too_little_memory_for_a_sandbox_is_too_little_memory(convert: Convert) -> None:
    outcome = convert("without_memory")
    assert isinstance(outcome, Broken)
    assert outcome.code == "memory_limit"


def test_a_kernel_without_landlock_will_do_where_something_outside_isolates(
    convert: Convert, scratch: Path
) -> None:
    assert isinstance(convert("on_abi_0", isolated_outside=True), Converted)
    assert (scratch / "output.nap").exists()


def test_no_network_is_asked_for_even_where_something_outside_isolates(convert: Convert) -> None:
    with pytest.raises(Unconfined, match="network"):
        convert("filter_forgotten", isolated_outside=True)


def test_landlock_is_used_where_it_is_whatever_isolates_outside(convert: Convert) -> None:
    with pytest.raises(Unconfined, match="can list"):
        convert("landlock_forgotten", isolated_outside=True)
