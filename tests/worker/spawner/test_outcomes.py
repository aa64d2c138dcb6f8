"""Each way in which a conversion can end is told apart from the others."""

import hashlib

import pytest

from tests.worker.spawner.making import Convert, MakeTask
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Cell, Spawner


def test_a_conversion_leaves_its_result_and_its_facts(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    task = make_task("sleep", seconds=0.05)
    with shared_spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
        assert cell.outcome() == Converted({"bytes": 68, "notes": ["It was a good nap."]})
    digest = hashlib.sha256(b"a picture").hexdigest()
    assert (task.scratch / "output.nap").read_bytes() == b"NAP1" + digest.encode()


def test_a_refusal_keeps_its_code_and_its_sentence(convert: Convert) -> None:
    assert convert("refuse").outcome() == Refused(
        "corrupt_input", "This file was refused on request."
    )


def test_an_exception_leaves_a_clean_traceback(convert: Convert) -> None:
    outcome = broken(convert("raise"), "converter_crashed")
    assert "RuntimeError: misbehaved on request" in outcome.log
    assert "\x00" not in outcome.log
    assert "\x1b" not in outcome.log
    assert "\n" in outcome.log


@pytest.mark.parametrize(("how", "name"), [("crash", "SIGSEGV"), ("abort", "SIGABRT")])
def test_a_crash_in_native_code_says_where(convert: Convert, how: str, name: str) -> None:
    outcome = broken(convert(how), "converter_crashed")
    assert outcome.log.startswith(f"killed by {name}")
    assert f"in _{how}" in outcome.log


def test_too_much_memory_is_no_crash_and_the_limit_is_named(convert: Convert) -> None:
    outcome = broken(convert("memory", memory_bytes=512 * 1024**2), "memory_limit")
    assert "536,870,912 bytes" in str(outcome.detail)


def test_a_kill_by_the_machine_is_put_down_to_its_memory(convert: Convert) -> None:
    """Which another job may have used up: unlike the limit of a cell it may not be met again."""
    assert "SIGKILL" in broken(convert("killed"), "machine_memory").log


def test_too_much_processor_time_is_a_time_limit(convert: Convert) -> None:
    assert "SIGXCPU" in broken(convert("cpu", cpu_seconds=1), "time_limit").log


def test_who_ignores_the_time_limit_is_killed_by_it(convert: Convert) -> None:
    assert "SIGKILL" in broken(convert("stubborn_cpu", cpu_seconds=1), "time_limit").log


def test_an_exit_without_an_outcome_is_a_crash(convert: Convert) -> None:
    assert "exit code 3 without an outcome" in broken(convert("exit"), "converter_crashed").log


def test_a_full_disk_is_not_the_converters_fault(convert: Convert) -> None:
    assert "No space left" in broken(convert("full_disk"), "storage_unavailable").log


def test_a_result_beyond_the_limit_says_so(convert: Convert) -> None:
    assert "File too large" in broken(convert("too_large"), "result_too_large").log


def test_a_converter_that_is_not_there_breaks_its_own_job_only(convert: Convert) -> None:
    outcome = broken(convert(convert="no_such_converter:convert"), "converter_crashed")
    assert "ModuleNotFoundError" in outcome.log
    assert isinstance(convert().outcome(), Converted)


def test_a_scratch_folder_that_is_gone_breaks_its_own_job_only(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    task = make_task()
    task.scratch.rename(task.scratch.with_name("elsewhere"))
    with shared_spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
    assert "FileNotFoundError" in broken(cell, "converter_crashed").log


def test_there_is_no_outcome_before_the_end(shared_spawner: Spawner, make_task: MakeTask) -> None:
    with shared_spawner.cell(make_task("hang")) as cell:
        assert not cell.wait(timeout=0)
        with pytest.raises(RuntimeError, match="not ended"):
            cell.outcome()


def broken(cell: Cell, code: str) -> Broken:
    outcome = cell.outcome()
    assert isinstance(outcome, Broken)
    assert outcome.code == code
    return outcome
