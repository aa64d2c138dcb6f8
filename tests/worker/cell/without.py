"""Runs a command as on a kernel that lacks a layer of the cell.

python -m tests.worker.cell.without landlock|seccomp COMMAND…
"""

import ctypes
import errno
import os
import sys

from worker.cell import bpf
from worker.cell.prctl import PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, prctl
from worker.cell.syscalls import examined

LANDLOCK = (444, 445, 446)


def main() -> None:
    missing, *command = sys.argv[1:]
    _install({"landlock": _landlock, "seccomp": _seccomp}[missing]())
    os.execvp(command[0], command)


def _landlock() -> bpf.Piece:
    return bpf.choose(LANDLOCK, bpf.fail(errno.ENOSYS), bpf.answer(bpf.ALLOW))


def _seccomp() -> bpf.Piece:
    prctl_number = examined(os.uname().machine)["prctl"]
    set_filter = bpf.when_equal(PR_SET_SECCOMP, bpf.fail(errno.EINVAL))
    return [
        *bpf.when_equal(prctl_number, [*bpf.load_argument(0), *set_filter, *bpf.answer(bpf.ALLOW)]),
        *bpf.answer(bpf.ALLOW),
    ]


def _install(piece: bpf.Piece) -> None:
    program = bpf.packed([*bpf.load(bpf.NUMBER), *piece])
    kept = ctypes.create_string_buffer(program, len(program))
    header = (ctypes.c_uint64 * 2)(len(program) // 8, ctypes.addressof(kept))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(header))


if __name__ == "__main__":
    main()
