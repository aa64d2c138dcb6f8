"""Landlock, by its three system calls: what this process may do with files, TCP and others.

A ruleset names kinds of access; each is denied but where a rule grants it. What a kernel does not
know yet cannot be named to it: the seccomp filter denies that part too, so a cell on the first ABI
(Linux 5.13) is as closed as one on the latest. See landlock(7).
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path

HIGHEST_ABI = 7  # the last that this file knows anything about; tests lower it
SCOPED_ABI = 6  # the first with everything that a cell uses

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_VERSION = 1
_PATH_BENEATH = 1
_TCP = 0b11  # bind and connect, from ABI 4
_SCOPES = 0b11  # abstract Unix sockets and signals, from ABI 6


class Access(IntFlag):
    """What can be done with files, as the kernel numbers it."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


_SINCE = {Access.REFER: 2, Access.TRUNCATE: 3, Access.IOCTL_DEV: 5}
_OF_FILES = (
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)


@dataclass(frozen=True)
class Grant:
    """Access to a file, or to a folder and all that lies beneath it."""

    path: Path
    access: Access


def abi() -> int:
    """Return the version that the kernel and this file both know; 0 is none."""
    try:
        return min(_call(_CREATE, 0, 0, _VERSION), HIGHEST_ABI)
    except OSError:
        return 0


def restrict(grants: Iterable[Grant]) -> None:
    """Leave this process, which has one thread and no new privileges, with the grants alone."""
    version = abi()
    if not version:
        raise OSError(errno.ENOSYS, "the kernel has no Landlock")
    handled = _handled(version)
    ruleset = _ruleset(handled, version)
    try:
        for grant in grants:
            _grant(ruleset, grant, handled)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _handled(version: int) -> int:
    return sum(access for access in Access if _SINCE.get(access, 1) <= version)


def _ruleset(handled: int, version: int) -> int:
    """Make an empty ruleset; a field that an ABI does not know must not be sent to it."""
    network = [_TCP] if version >= 4 else []
    scopes = [_SCOPES] if version >= SCOPED_ABI else []
    fields = [handled, *network, *scopes]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    return _call(_CREATE, attributes, len(attributes), 0)


def _grant(ruleset: int, grant: Grant, handled: int) -> None:
    try:
        beneath = os.open(grant.path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # there is nothing that could be granted
    try:
        is_folder = stat.S_ISDIR(os.fstat(beneath).st_mode)
        kind = handled if is_folder else handled & _OF_FILES.value
        rule = struct.pack("=Qi", grant.access.value & kind, beneath)
        _call(_ADD, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(beneath)


_syscall = ctypes.CDLL(None, use_errno=True).syscall
_syscall.restype = ctypes.c_long


def _call(number: int, *arguments: int | bytes) -> int:
    words = [part if isinstance(part, bytes) else ctypes.c_long(part) for part in arguments]
    result: int = _syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock system call {number}: {os.strerror(code)}")
    return result
