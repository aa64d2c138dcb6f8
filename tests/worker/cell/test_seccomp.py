"""The filter answers every system call as it should, on both architectures: its program is run.

The machine that runs these tests has one architecture; a small interpreter of classic BPF has both.
"""

import errno
import operator
import struct

import pytest

from worker.cell import bpf, syscalls
from worker.cell.seccomp import AUDIT_ARCHITECTURES, Leave, program_for

ME, OTHER = 4711, 4712
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, ENOTTY = (0x00050000 | one for one in (errno.EPERM, errno.ENOSYS, errno.ENOTTY))
TESTS = {0x15: operator.eq, 0x35: operator.ge, 0x45: operator.and_}
LEAST, PAD, OFFICE = Leave(ME), Leave(ME, execs=True), Leave(ME, execs=True, unix_sockets=True)

# What programs live on, by number on x86_64 and aarch64, from the kernel's tables.
EVERYDAY = {
    "read": (0, 63),
    "write": (1, 64),
    "openat": (257, 56),
    "close": (3, 57),
    "newfstatat": (262, 79),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "futex": (202, 98),
    "rt_sigaction": (13, 134),
    "getdents64": (217, 61),
    "renameat": (264, 38),
    "unlinkat": (263, 35),
    "mkdirat": (258, 34),
    "ftruncate": (77, 46),
    "getrandom": (318, 278),
    "sched_getaffinity": (204, 123),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "wait4": (61, 260),
    "pipe2": (293, 59),
    "dup3": (292, 24),
    "poll": (271, 73),  # ppoll
    "exit_group": (231, 94),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "statx": (332, 291),
    "close_range": (436, 436),
}

both = pytest.mark.parametrize("architecture", syscalls.ARCHITECTURES)


def run(
    architecture: str, leave: Leave, number: int, *arguments: int, audit: int | None = None
) -> int:
    """Run the packed program over one system call; every jump leads forward, so it ends."""
    program = bpf.packed(program_for(architecture, leave))
    arch = AUDIT_ARCHITECTURES[architecture] if audit is None else audit
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, arch, 0, *(one % 2**64 for one in padded))
    return answer_of(program, data)


def answer_of(program: bytes, data: bytes, *, loaded: int = 0) -> int:
    at = 0
    while True:
        code, if_true, if_false, k = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x06:
            return int(k)
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, k)
        elif code == 0x54:
            loaded &= k
        else:
            at += if_true if TESTS[code](loaded, k) else if_false


def number_of(architecture: str, name: str) -> int:
    return syscalls.examined(architecture)[name]


@both
def test_every_call_of_the_list_is_denied_whatever_its_arguments(architecture: str) -> None:
    for number in syscalls.denied(architecture).values():
        for arguments in ((), (ME,), (-1,) * 6):
            assert run(architecture, OFFICE, number, *arguments) == EPERM


@both
def test_what_programs_live_on_is_allowed(architecture: str) -> None:
    column = syscalls.ARCHITECTURES.index(architecture)
    for numbers in EVERYDAY.values():
        assert run(architecture, LEAST, numbers[column], -1, -1, -1) == ALLOW


@both
def test_every_other_number_is_allowed_up_to_the_newest(architecture: str) -> None:
    listed = {*syscalls.denied(architecture).values(), *syscalls.examined(architecture).values()}
    others = set(range(syscalls.NEWEST + 1)) - listed
    assert {run(architecture, LEAST, number) for number in others} == {ALLOW}


@both
def test_a_call_that_is_newer_than_the_list_does_not_exist(architecture: str) -> None:
    for number in (syscalls.NEWEST + 1, 600, 0x3FFFFFFF):
        assert run(architecture, OFFICE, number) == ENOSYS


@both
def test_the_calls_of_another_architecture_kill(architecture: str) -> None:
    for foreign in (0x40000003, 0x40000028, *AUDIT_ARCHITECTURES.values()):  # i386, arm
        if foreign != AUDIT_ARCHITECTURES[architecture]:
            assert run(architecture, OFFICE, 0, audit=foreign) == KILL


def test_the_second_table_of_x86_64_kills() -> None:
    assert run("x86_64", OFFICE, 0x40000000 | 59) == KILL
    assert run("x86_64", OFFICE, -1) == KILL


@both
def test_a_clone_is_allowed_for_a_thread_alone(architecture: str) -> None:
    clone = number_of(architecture, "clone")
    thread = 0x3D0F00  # what glibc gives pthread_create()
    assert run(architecture, LEAST, clone, thread) == ALLOW
    assert run(architecture, LEAST, clone, 17) == EPERM  # fork()
    assert run(architecture, LEAST, clone, 0x4111) == EPERM  # vfork(), posix_spawn()
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert run(architecture, LEAST, clone, thread | namespace) == EPERM
    assert run(architecture, LEAST, number_of(architecture, "clone3")) == ENOSYS


@both
@pytest.mark.parametrize(
    "name", ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"]
)
def test_it_may_signal_itself_alone(architecture: str, name: str) -> None:
    number = number_of(architecture, name)
    assert run(architecture, LEAST, number, ME, 6) == ALLOW
    for other in (OTHER, 0, -1, -ME, 1):
        assert run(architecture, LEAST, number, other, 6) == EPERM


@both
def test_only_a_pad_becomes_a_program(architecture: str) -> None:
    execve = number_of(architecture, "execve")
    assert run(architecture, LEAST, execve) == EPERM
    assert run(architecture, PAD, execve) == ALLOW
    assert run(architecture, PAD, syscalls.denied(architecture)["execveat"]) == EPERM


@both
@pytest.mark.parametrize("name", ["socket", "socketpair"])
def test_a_socket_is_a_unix_stream_or_nothing(architecture: str, name: str) -> None:
    number = number_of(architecture, name)
    stream, datagram, packets, close_on_exec = 1, 2, 5, 0x80000
    assert run(architecture, PAD, number, 1, stream) == EPERM
    assert run(architecture, OFFICE, number, 1, stream | close_on_exec) == ALLOW
    assert run(architecture, OFFICE, number, 1, datagram | close_on_exec) == EPERM
    assert run(architecture, OFFICE, number, 1, packets) == EPERM
    for family in (0, 2, 10, 16, 17, 38, 40):
        assert run(architecture, OFFICE, number, family, stream) == EPERM


@both
@pytest.mark.parametrize("name", ["bind", "listen", "accept", "accept4"])
def test_a_unix_socket_may_wait_for_others_only_where_it_is_needed(
    architecture: str, name: str
) -> None:
    number = number_of(architecture, name)
    assert run(architecture, PAD, number, 3) == EPERM
    assert run(architecture, OFFICE, number, 3) == ALLOW
    assert run(architecture, OFFICE, syscalls.denied(architecture)["connect"], 3) == EPERM


@both
def test_what_would_signal_or_hold_up_others_is_denied(architecture: str) -> None:
    fcntl, ioctl = (number_of(architecture, name) for name in ("fcntl", "ioctl"))
    for command in (8, 10, 15, 1024, 1026):
        assert run(architecture, LEAST, fcntl, 3, command) == EPERM
    for command in (1, 2, 3, 4, 6, 1030, 1033):  # descriptors, flags, locks, pipes, seals
        assert run(architecture, LEAST, fcntl, 3, command) == ALLOW
    owner, group, signals, type_in, flags = 0x8901, 0x8902, 0x5452, 0x5412, 0x40086602
    for command in (owner, group, signals, type_in, flags, 0, 2**32 - 1):
        assert run(architecture, LEAST, ioctl, 3, command) == ENOTTY
    for command in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451):
        assert run(architecture, LEAST, ioctl, 3, command) == ALLOW


@both
def test_the_bond_to_its_parent_cannot_be_undone(architecture: str) -> None:
    prctl = number_of(architecture, "prctl")
    assert run(architecture, LEAST, prctl, 1, 0) == EPERM
    assert run(architecture, LEAST, prctl, 15) == ALLOW  # PR_SET_NAME


@both
def test_limits_can_be_read_and_are_its_own(architecture: str) -> None:
    prlimit = number_of(architecture, "prlimit64")
    for pid in (0, ME):
        assert run(architecture, LEAST, prlimit, pid, 7, 0, 0x7FFF12345678) == ALLOW
        assert run(architecture, LEAST, prlimit, pid, 7, 0x7FFF12345678) == EPERM
        assert run(architecture, LEAST, prlimit, pid, 7, 0x7FFF00000000) == EPERM
    assert run(architecture, LEAST, prlimit, OTHER, 7, 0) == EPERM


def test_a_search_finds_the_last_number_that_is_not_above() -> None:
    answers = [(at, bpf.answer(at)) for at in (0, 1, 5, 6, 40)]
    program = bpf.search(answers)
    for number in range(50):
        expected = max(at for at, _ in answers if at <= number)
        assert answer_of(bpf.packed(program), b"", loaded=number) == expected


def test_a_processor_without_a_table_gets_no_filter() -> None:
    with pytest.raises(KeyError):
        program_for("riscv64", LEAST)
