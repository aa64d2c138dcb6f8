"""A cell takes its filter from a template that the spawner has prepared, and it is the same one."""

import platform

import pytest

from worker.cell import bpf, seccomp, syscalls
from worker.cell.seccomp import Leave, program_for, ready_for

ME, OTHER = 4711, 4712
LEAST, PAD, OFFICE = Leave(ME), Leave(ME, execs=True), Leave(ME, execs=True, unix_sockets=True)

both = pytest.mark.parametrize("architecture", syscalls.ARCHITECTURES)


@both
@pytest.mark.parametrize("unix_sockets", [False, True])
@pytest.mark.parametrize("execs", [False, True])
def test_a_filter_from_the_template_is_the_one_that_is_built(
    architecture: str, execs: bool, unix_sockets: bool
) -> None:
    """Also for a pid that is a number or a mask of the filter's own."""
    own = {k for *_, k in program_for(architecture, Leave(OTHER, execs, unix_sockets))}
    for pid in {1, 2, ME, 2**15, 2**22, 2**22 - 1, *(k for k in own if 0 < k <= 2**22)}:
        leave = Leave(pid, execs, unix_sockets)
        built = bpf.packed(program_for(architecture, leave))
        assert bytes(ready_for(architecture, leave)) == built


@both
def test_what_stands_for_a_pid_in_a_template_stands_for_nothing_else(architecture: str) -> None:
    for leave in (LEAST, PAD, OFFICE):
        assert seccomp._ANYBODY not in {k for *_, k in program_for(architecture, leave)}
    assert seccomp._ANYBODY > 2**22  # PID_MAX_LIMIT


def test_no_cell_has_to_build_a_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    seccomp.prepare()
    monkeypatch.setattr(seccomp, "program_for", None)
    for leave in (LEAST, PAD, OFFICE, Leave(ME, unix_sockets=True)):
        assert ready_for(platform.machine(), leave)


def test_a_machine_without_a_table_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    seccomp.prepare()


def test_a_jump_that_is_too_far_is_no_filter() -> None:
    with pytest.raises(ValueError, match="a jump over 256 instructions"):
        bpf.when_equal(1, bpf.answer(0) * 256)
    with pytest.raises(ValueError, match="a jump over 256 instructions"):
        bpf.search([(0, bpf.answer(0) * 256), (1, bpf.answer(0))])
