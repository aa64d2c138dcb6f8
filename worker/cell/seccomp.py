"""Forbids, for good, the system calls that a conversion has no use for.

Landlock decides about files; this decides about the rest, and about what Landlock leaves out.
"""

import ctypes
import errno
import functools
import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product

from worker.cell import bpf, syscalls
from worker.cell.bpf import Piece
from worker.cell.prctl import PR_SET_PDEATHSIG, PR_SET_SECCOMP, prctl

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FILTER_MODE = 2
_X32 = 0x40000000  # the bit of x86_64's second table, which no list here is about

_THREAD = 0x00010000  # CLONE_THREAD
_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_ANYBODY = 0x7FFFFFFF  # stands for a pid in a template: no process and no constant here has it
_AF_UNIX = 1
_SOCK_STREAM = 1
_SOCK_TYPE = 0xF
# F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY: the kernel would signal, with any signal,
# any process of the same user; a lease holds up everybody who opens the file.
_FCNTL = (8, 10, 15, 1024, 1026)
# TCGETS, TIOCGWINSZ (is it a terminal?), FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not among them: whom
# a socket signals, what a terminal is fed with, the flags that an owner can set on a file for good.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)


@dataclass(frozen=True)
class Leave:
    """What this process may do beyond the least; `pid` is its own and the only one it may signal.

    `execs` is for a pad, which becomes a program. A Unix socket can be made and bound with
    `unix_sockets`, never connected, and never of a type that could send without it.
    """

    pid: int
    execs: bool = False
    unix_sockets: bool = False


def apply(leave: Leave) -> None:
    """Install the filter in this process, which has one thread and no new privileges."""
    program = bytes(ready_for(platform.machine(), leave))
    kept = ctypes.create_string_buffer(program, len(program))
    header = _Program(len(program) // 8, ctypes.addressof(kept))
    prctl(PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(header))


def is_available() -> bool:
    """Tell whether the kernel takes filters; it looks for one at address 0 if it does."""
    try:
        prctl(PR_SET_SECCOMP, _FILTER_MODE, 0)
    except OSError as error:
        return error.errno == errno.EFAULT
    return False


def prepare() -> None:
    """Write this machine's templates, if it has any, for the cells that are forked later."""
    if (machine := platform.machine()) in AUDIT_ARCHITECTURES:
        for execs, unix_sockets in product((False, True), repeat=2):
            _template(machine, execs=execs, unix_sockets=unix_sockets)


def ready_for(architecture: str, leave: Leave) -> bytearray:
    """Return the packed program_for the same, made from a template in a twentieth of the time."""
    template, places = _template(architecture, execs=leave.execs, unix_sockets=leave.unix_sockets)
    program = bytearray(template)
    for place in places:
        struct.pack_into("=I", program, place, leave.pid)
    return program


def program_for(architecture: str, leave: Leave) -> Piece:
    """Return the filter of one architecture; raise KeyError for one that has no table."""
    foreign = bpf.answer(bpf.KILL)  # 32-bit calls have other numbers
    return [
        *bpf.load(bpf.ARCHITECTURE),
        *bpf.unless_equal(AUDIT_ARCHITECTURES[architecture], foreign),
        *bpf.load(bpf.NUMBER),
        *(bpf.when_at_least(_X32, foreign) if architecture == "x86_64" else []),
        *bpf.search(_answers(architecture, leave)),
    ]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


_ALLOW = bpf.answer(bpf.ALLOW)
_DENY = bpf.fail(errno.EPERM)


@functools.cache
def _template(
    architecture: str, *, execs: bool, unix_sockets: bool
) -> tuple[bytes, tuple[int, ...]]:
    """Return a packed program for _ANYBODY, and where in it the pid belongs instead."""
    program = program_for(architecture, Leave(_ANYBODY, execs=execs, unix_sockets=unix_sockets))
    places = (8 * at + 4 for at, (*_, k) in enumerate(program) if k == _ANYBODY)
    return bpf.packed(program), tuple(places)


def _answers(architecture: str, leave: Leave) -> list[tuple[int, Piece]]:
    """Return what is done about each system call, neighbours of the same lot as one.

    The kernel tries every number when a filter is put up: with a search among the numbers instead
    of a list that takes half of the time.
    """
    answers = {
        **dict.fromkeys(syscalls.denied(architecture).values(), _DENY),
        **_examined(syscalls.examined(architecture), leave),
        syscalls.NEWEST + 1: bpf.fail(errno.ENOSYS),
    }
    numbers = range(syscalls.NEWEST + 2)
    alike = groupby(numbers, key=lambda number: answers.get(number, _ALLOW))
    return [(next(group), piece) for piece, group in alike]


def _examined(numbers: dict[str, int], leave: Leave) -> dict[int, Piece]:
    own = _only_for(leave.pid)
    local = _ALLOW if leave.unix_sockets else _DENY
    stream = _a_unix_stream() if leave.unix_sockets else _DENY
    pieces = {
        "clone": _only_a_thread(),
        "clone3": bpf.fail(errno.ENOSYS),  # its flags are out of sight; libc then takes clone
        "execve": _ALLOW if leave.execs else _DENY,
        **dict.fromkeys(("kill", "tkill", "tgkill"), own),  # abort() signals itself
        **dict.fromkeys(("rt_sigqueueinfo", "rt_tgsigqueueinfo"), own),
        **dict.fromkeys(("socket", "socketpair"), stream),
        **dict.fromkeys(("bind", "listen", "accept", "accept4"), local),
        "prctl": _any_but(0, [PR_SET_PDEATHSIG]),  # it has to die with its parent
        "fcntl": _any_but(1, _FCNTL),
        "ioctl": [*bpf.load_argument(1), *bpf.choose(_IOCTL, _ALLOW, bpf.fail(errno.ENOTTY))],
        "prlimit64": _only_asking(leave.pid),
    }
    return {number: pieces[name] for name, number in numbers.items()}


def _only_a_thread() -> Piece:
    return [
        *bpf.load_argument(0),
        *bpf.when_any_bit(_NAMESPACES, _DENY),
        *bpf.when_any_bit(_THREAD, _ALLOW),
        *_DENY,
    ]


def _only_for(pid: int) -> Piece:
    return [*bpf.load_argument(0), *bpf.when_equal(pid, _ALLOW), *_DENY]


def _any_but(index: int, values: Sequence[int]) -> Piece:
    return [*bpf.load_argument(index), *bpf.choose(values, _DENY, _ALLOW)]


def _a_unix_stream() -> Piece:
    """Allow AF_UNIX with SOCK_STREAM: a datagram could be sent to any name without connect()."""
    return [
        *bpf.load_argument(0),
        *bpf.unless_equal(_AF_UNIX, _DENY),
        *bpf.load_argument(1),
        *bpf.keep_bits(_SOCK_TYPE),
        *bpf.when_equal(_SOCK_STREAM, _ALLOW),
        *_DENY,
    ]


def _only_asking(pid: int) -> Piece:
    """Allow to read the limits of this process: `new_limit` has to be null in both halves."""
    return [
        *bpf.load_argument(2),
        *bpf.unless_equal(0, _DENY),
        *bpf.load_argument(2, high=True),
        *bpf.unless_equal(0, _DENY),
        *bpf.load_argument(0),
        *bpf.choose([0, pid], _ALLOW, _DENY),
    ]
