"""Takes a nap instead of converting, or misbehaves in the way that `how` names.

It needs nothing but the standard library, so that each trick works before any limit or lock.
"""

import ctypes
import errno
import hashlib
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from worker.outcome import Converted, Refused

FLOOD_BYTES = 300 * 1024 * 1024
Progress = Callable[[float, str], None]


def convert(  # the signature is the converter contract
    source: Path,
    target: Path,
    *,
    source_format: str,
    target_format: str,
    options: dict[str, Any],
    limits: Any,
    progress: Progress,
) -> Converted | Refused:
    """Sleep for `seconds` in `progress_steps`, then write a nap or do what `how` says."""
    _sleep(options.get("seconds", 0), options.get("progress_steps", 10), progress)
    how = options.get("how", "sleep")
    if how == "held":
        _until_let_go(source)
    if how == "refuse":
        return Refused("corrupt_input", "This file was refused on request.")
    if how in WITHOUT_RESULT:
        WITHOUT_RESULT[how](target, progress)
        return Converted()
    if how in BEFORE_RESULT:
        BEFORE_RESULT[how](target, progress)
    return _nap(source, target, how=how)


def _sleep(seconds: float, steps: int, progress: Progress) -> None:
    for step in range(steps if seconds else 0):
        progress(step / steps, "napping")
        time.sleep(seconds / steps)


def _until_let_go(source: Path) -> None:
    """Wait until a test says that its source is of 1970."""
    while source.stat().st_mtime > 0:
        time.sleep(0.02)


def _nap(source: Path, target: Path, *, how: str) -> Converted:
    digest = b"" if how == "null" else hashlib.sha256(source.read_bytes()).hexdigest().encode()
    if how == "unique":  # no two conversions make the same
        digest += os.urandom(16).hex().encode()
    target.write_bytes(b"NAP1" + digest)
    return Converted({"bytes": target.stat().st_size, "notes": ["It was a good nap."]})


def _abort(target: Path, progress: Progress) -> NoReturn:
    os.abort()


def _crash(target: Path, progress: Progress) -> None:
    ctypes.string_at(0)  # a real SIGSEGV in native code


def _cpu(target: Path, progress: Progress) -> NoReturn:
    while True:
        pass


def _stubborn_cpu(target: Path, progress: Progress) -> NoReturn:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    _cpu(target, progress)


def _exit(target: Path, progress: Progress) -> NoReturn:
    os._exit(3)


def _full_disk(target: Path, progress: Progress) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))


def _hang(target: Path, progress: Progress) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(3600)


def _killed(target: Path, progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)  # what the kernel does when memory runs out


def _memory(target: Path, progress: Progress) -> NoReturn:
    hoard = []
    while True:
        hoard.append(bytearray(16 * 1024 * 1024))


def _raise(target: Path, progress: Progress) -> NoReturn:
    raise RuntimeError("misbehaved on request: \x00 \x1b[31m \udc80")


def _too_large(target: Path, progress: Progress) -> None:
    block = bytes(1024 * 1024)
    with target.open("wb") as file:
        while True:
            file.write(block)


def _empty(target: Path, progress: Progress) -> None:
    target.touch()


def _no_result(target: Path, progress: Progress) -> None:
    """Say that it is converted and leave nothing."""


def _symlink(target: Path, progress: Progress) -> None:
    target.symlink_to("/etc/passwd")


def _hardlink(target: Path, progress: Progress) -> None:
    first = target.with_name("first")
    first.write_bytes(b"NAP1")
    target.hardlink_to(first)


def _fifo(target: Path, progress: Progress) -> None:
    os.mkfifo(target)


def _folder(target: Path, progress: Progress) -> None:
    target.mkdir()


def _flood(target: Path, progress: Progress) -> None:
    block = (b"noise " * 10 + b"\n") * 1_000
    for _ in range(FLOOD_BYTES // len(block)):
        os.write(2, block)


def _chatter(target: Path, progress: Progress) -> None:
    for number in range(200_000):
        progress(number / 200_000, "chattering")


def _child(target: Path, progress: Progress) -> None:
    """Leave a living child of the same session."""
    if (pid := os.fork()) == 0:
        _outstay()
    target.with_name("left").write_text(str(pid))
    target.with_name("left").rename(target.with_name("left.pid"))  # complete, or not there


def _orphan(target: Path, progress: Progress) -> None:
    """Leave a grandchild in a session of its own, whose parent is gone."""
    receive, tell = os.pipe()
    if (parent := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(tell, str(os.getpid()).encode())
            _outstay()
        os._exit(0)
    target.with_name("left.pid").write_bytes(os.read(receive, 20))
    os.waitpid(parent, 0)


def _parent(target: Path, progress: Progress) -> NoReturn:
    """Hang, and have a child that hangs too."""
    _child(target, progress)
    _hang(target, progress)


def _outstay() -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    time.sleep(120)
    os._exit(0)


def _forge(target: Path, progress: Progress) -> None:
    """Write to the worker past the code that watches over progress."""
    for poison in POISON:
        _write_to_every_socket(poison)


def _lie(target: Path, progress: Progress) -> NoReturn:
    """Claim a success whose facts no row could hold."""
    facts = b'{"nul": "\\u0000", "lone": "\\ud800", "big": 1e400}'
    _write_to_every_socket(b'{"outcome": "converted", "facts": ' + facts + b"}")
    os._exit(0)


def _write_to_every_socket(data: bytes) -> None:
    for number in range(3, 256):
        try:
            with socket.socket(fileno=os.dup(number)) as found:
                found.send(data)  # and wait for room: all of it is to arrive
        except OSError:
            continue


POISON = (
    b"",
    b"{",
    b"\xff\xfe\x00",
    b"[" * 50_000,
    b"x" * 150_000,
    b"7",
    b'"progress"',
    b'{"progress": NaN, "stage": "nan"}',
    b'{"progress": Infinity, "stage": "inf"}',
    b'{"progress": 1e308, "stage": "large"}',
    b'{"progress": 1e400, "stage": "larger"}',
    b'{"progress": -1, "stage": "negative"}',
    b'{"progress": true, "stage": "true"}',
    b'{"progress": "0.9", "stage": "text"}',
    b'{"progress": [0.9], "stage": "list"}',
    b'{"progress": ' + b"9" * 5_000 + b', "stage": "digits"}',
    b'{"progress": 0.5, "stage": "half \\u0000\\ud800\\u001b[31m"}',
    b'{"progress": 0.2, "stage": "backwards"}',
    b'{"progress": 0.5, "stage": {"not": "text"}}',
    b'{"outcome": "succeeded"}',
    b'{"outcome": "refused", "code": "no_such_code"}',
    b'{"outcome": "refused", "code": ["corrupt_input"]}',
    b'{"outcome": "converted", "facts": [1]}',
)

BEFORE_RESULT: dict[str, Callable[[Path, Progress], None]] = {
    "chatter": _chatter,
    "child": _child,
    "flood": _flood,
    "forge": _forge,
    "orphan": _orphan,
}
WITHOUT_RESULT: dict[str, Callable[[Path, Progress], None]] = {
    "abort": _abort,
    "cpu": _cpu,
    "crash": _crash,
    "empty": _empty,
    "exit": _exit,
    "fifo": _fifo,
    "folder": _folder,
    "full_disk": _full_disk,
    "hang": _hang,
    "hardlink": _hardlink,
    "killed": _killed,
    "lie": _lie,
    "memory": _memory,
    "no_result": _no_result,
    "parent": _parent,
    "raise": _raise,
    "stubborn_cpu": _stubborn_cpu,
    "symlink": _symlink,
    "too_large": _too_large,
}
