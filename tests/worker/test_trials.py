"""What a worker tries at its start: whether a cell holds, and what each family can do in one."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from app.formats.family import Family, Needs, Options
from app.settings import Settings
from tests.polling import poll
from tests.worker.cell.probing import spawner_of
from worker import trials

NAP = "rowmill_misbehave_convert:convert"


def family(needs: Needs, trial: str | None = "rowmill_trial:trial") -> Family:
    return Family(
        kind="tried",
        convert="rowmill_trial:convert",
        trial=trial,
        sources=("png",),
        targets=("nap",),
        options=Options,
        default_targets={},
        needs=needs,
    )


def test_a_machine_on_which_a_cell_holds_is_told_by_one_cell(tmp_path: Path) -> None:
    with spawner_of(os.getuid(), NAP) as spawner:
        assert trials.unconfined(spawner, Settings(), place=tmp_path / "new") is None
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize(
    ("layers", "reason"),
    [("landlock_forgotten", "a cell can list"), ("filter_forgotten", "network socket")],
)
def test_a_machine_on_which_no_cell_holds_says_why(
    tmp_path: Path, layers: str, reason: str
) -> None:
    with spawner_of(os.getuid(), f"rowmill_weak:{layers}", "rowmill_trial:convert") as spawner:
        why = str(trials.unconfined(spawner, Settings(), place=tmp_path))
        assert why.startswith("Nothing can be converted: the sandbox does not hold here. ")
        assert reason in why
        tried = trials.run([family(Needs())], spawner, Settings(), place=tmp_path)
    assert reason in str(tried[0][1])


def test_a_trial_may_do_what_its_family_needs_and_no_more(tmp_path: Path) -> None:
    with spawner_of(os.getuid(), "rowmill_trial:convert", "rowmill_trial:trial") as spawner:
        one, none = family(Needs(programs=1)), family(Needs())
        [(_, able), (_, unable)] = trials.run([one, none], spawner, Settings(), place=tmp_path)
    assert able == {"png": {"nap": None}}
    assert "NoPad" in str(unable)


def test_a_trial_whose_cell_something_killed_is_made_again(tmp_path: Path) -> None:
    """As the kernel does when memory runs out, with many workers starting at once."""
    tried = family(Needs(), trial="rowmill_waits:trial")
    with (
        spawner_of(os.getuid(), "rowmill_trial:convert", "rowmill_waits:trial") as spawner,
        ThreadPoolExecutor(1) as threads,
    ):
        trying = threads.submit(trials.run, [tried], spawner, Settings(), place=tmp_path)
        for _ in range(2):
            (cell,) = poll(psutil.Process(spawner.pid).children)
            cell.kill()
            cell.wait(60)
        assert trying.result(60)[0][1] == {}


def test_a_family_without_a_trial_can_do_everything(tmp_path: Path) -> None:
    with spawner_of(os.getuid(), "rowmill_trial:convert") as spawner:
        tried = trials.run([family(Needs(), trial=None)], spawner, Settings(), place=tmp_path)
    assert tried[0][1] == {}


def test_a_family_that_the_spawner_could_not_load_says_why(tmp_path: Path) -> None:
    with spawner_of(os.getuid(), NAP) as spawner:
        tried = trials.run([family(Needs())], spawner, Settings(), place=tmp_path)
    assert tried[0][1] == "the spawner does not know it"
