"""How a process ended, what it said and what it printed become one outcome."""

import signal
from pathlib import Path

import pytest

from worker.cell.task import Task
from worker.outcome import Broken, Converted, Refused
from worker.spawner.hearsay import Hearsay
from worker.spawner.message import Ending
from worker.spawner.verdict import Unconfined, verdict

TASK = Task("m:f", Path(), "a", "b", "png", "nap", {}, {}, 2**30, cpu_seconds=10, file_bytes=1)


def judge(
    ending: Ending | None, *said: bytes, killed: bool = False, stderr: str = ""
) -> Converted | Refused | Broken:
    hearsay = Hearsay()
    for words in said:
        hearsay.hear(words)
    return verdict(TASK, ending, hearsay, killed=killed, stderr=stderr)


def ending(code: int | None = None, killed_by: int | None = None, cpu: float = 0.1) -> Ending:
    return Ending(code=code, signal=killed_by, cpu_seconds=cpu, peak_bytes=0)


@pytest.mark.parametrize(
    "last_words",
    [
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "GLib-ERROR: failed to allocate 134217728 bytes",
        "memory allocation of 512 bytes failed",
        "fatal: Out of memory",
        "mmap: Cannot allocate memory",
    ],
)
@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP])
def test_native_code_that_gives_up_for_want_of_memory_is_no_crash(
    number: int, last_words: str
) -> None:
    outcome = judge(ending(killed_by=number), stderr=last_words)
    assert isinstance(outcome, Broken)
    assert outcome.code == "memory_limit"
    assert last_words in outcome.log


def test_what_memory_allows_is_named_unless_the_converter_knows_more() -> None:
    bare = b'{"outcome": "broken", "code": "memory_limit", "detail": null}'
    named = b'{"outcome": "broken", "code": "memory_limit", "detail": "Too wide."}'
    assert isinstance(limited := judge(ending(0), bare), Broken)
    assert str(limited.detail).endswith("The limit is 1,073,741,824 bytes.")
    assert judge(ending(0), named) == Broken("memory_limit", "Too wide.")


@pytest.mark.parametrize(
    ("number", "limit"),
    [
        (signal.SIGXFSZ, "1 bytes, four times ROWMILL_MAX_UPLOAD_BYTES"),
        (signal.SIGXCPU, "10 seconds of processor time"),
    ],
)
def test_a_limit_that_was_met_is_named_with_its_figure(number: int, limit: str) -> None:
    assert isinstance(limited := judge(ending(killed_by=number)), Broken)
    assert limit in str(limited.detail)


def test_a_success_counts_only_if_the_process_ended_well() -> None:
    success = b'{"outcome": "converted", "facts": {}}'
    assert judge(ending(0), success) == Converted({})
    assert isinstance(judge(ending(1), success), Broken)
    assert isinstance(judge(ending(killed_by=signal.SIGSEGV), success), Broken)


def test_a_reason_is_kept_however_the_process_ended() -> None:
    refusal = b'{"outcome": "refused", "code": "corrupt_input"}'
    assert judge(ending(killed_by=signal.SIGSEGV), refusal) == Refused("corrupt_input")


def test_a_kill_by_the_worker_is_not_taken_for_want_of_memory() -> None:
    outcome = judge(ending(killed_by=signal.SIGKILL), killed=True)
    assert outcome == Broken("converter_crashed", log="the worker ended it")


@pytest.mark.parametrize(
    ("number", "cpu", "code"),
    [
        (signal.SIGXCPU, 10.0, "time_limit"),
        (signal.SIGKILL, 11.9, "time_limit"),
        (signal.SIGKILL, 9.0, "machine_memory"),
        (signal.SIGXFSZ, 0.1, "result_too_large"),
        (signal.SIGSEGV, 0.1, "converter_crashed"),
        (40, 0.1, "converter_crashed"),
    ],
)
def test_each_signal_has_its_cause(number: int, cpu: float, code: str) -> None:
    outcome = judge(ending(killed_by=number, cpu=cpu))
    assert isinstance(outcome, Broken)
    assert outcome.code == code


def test_nonsense_is_in_the_log_of_a_crash() -> None:
    outcome = judge(ending(0), b"7")
    assert isinstance(outcome, Broken)
    assert outcome.log == "exit code 0 without an outcome\nthe cell sent nonsense: no object"


@pytest.mark.parametrize(("code", "passing"), [(125, False), (126, True)])
def test_a_cell_that_could_not_be_confined_is_nobodys_attempt(code: int, passing: bool) -> None:
    with pytest.raises(Unconfined, match="PermissionError: no filter") as reason:
        judge(ending(code), stderr="PermissionError: no filter")
    assert reason.value.passing is passing


@pytest.mark.parametrize("code", [125, 126])
def test_a_file_cannot_make_its_cell_say_that_it_is_unconfined(code: int) -> None:
    """Its job would be tried for ever, and its worker would stop."""
    confined = b'{"confined": true}'
    assert isinstance(judge(ending(code), confined, stderr="no filter"), Broken)


def test_a_spawner_that_cannot_tell_leaves_no_success() -> None:
    assert isinstance(judge(None, b'{"outcome": "converted", "facts": {}}'), Broken)
