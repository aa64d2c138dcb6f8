"""The one kernel call that Python lacks here: prctl(2)."""

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_GET_DUMPABLE = 3
PR_SET_DUMPABLE = 4
PR_GET_SECCOMP = 21
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39

_prctl = ctypes.CDLL(None, use_errno=True).prctl
_prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_prctl.restype = ctypes.c_int


def prctl(option: int, value: int = 0, more: int = 0) -> int:
    """Set or ask one attribute of this process; raise OSError when the kernel refuses."""
    result: int = _prctl(option, value, more, 0, 0)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}, {value}): {os.strerror(number)}")
    return result
