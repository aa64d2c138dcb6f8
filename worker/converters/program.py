"""Runs a program inside a cell: what it prints, how it ends."""

import os
import select
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worker.cell import pads

STDOUT_BYTES = 1024**2
STDERR_BYTES = 64 * 1024
NOT_STARTED = 127
_LINE_BYTES = 64 * 1024
_CHUNK = 64 * 1024
_TICK_MS = 250


@dataclass(frozen=True)
class Ended:
    """How a program ended: `code` is None when a `signal` ended it.

    `stdout` is its head (1 MiB), or nothing if somebody heard it; `stderr` its end (64 KiB).
    """

    code: int | None
    signal: int | None
    stdout: bytes
    stderr: str


def run(
    argv: Sequence[str | Path],
    *,
    heard: Callable[[str], None] | None = None,
    meanwhile: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program to its end, in the current folder, with nothing to read on its stdin.

    `argv[0]` is an absolute path. `heard` gets each line of stdout as it comes; `meanwhile` is
    called four times a second while nothing comes. `environment` is added to the cell's own. A
    cell can start as many as its family says in Needs.programs; one that cannot be started ends
    with code NOT_STARTED. What those two raise comes through; the program is then left to the end
    of the cell.
    """
    try:
        program = _start([str(part) for part in argv], {**os.environ, **(environment or {})})
    except OSError as error:
        return Ended(NOT_STARTED, None, b"", str(error))
    stdout = _Lines(heard) if heard is not None else _Head()
    stderr = _Tail()
    try:
        _listen({program.stdout: stdout, program.stderr: stderr}, meanwhile or _nothing)
    except BaseException:
        program.leave()
        raise
    code = program.end()
    stdout.close()
    return Ended(
        code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        stdout=bytes(stdout.kept),
        stderr=stderr.kept.decode(errors="replace"),
    )


class _Program(Protocol):
    stdout: int
    stderr: int

    def end(self) -> int:
        """Wait for its end; return its exit code, or the number of its signal below zero."""

    def leave(self) -> None:
        """Let go of it before its end."""


def _start(argv: list[str], environment: dict[str, str]) -> _Program:
    pad = pads.take()
    return _Child(argv, environment) if pad is None else _InPad(pad, argv, environment)


class _InPad:
    """A program in a cell, which the end of the cell ends too."""

    def __init__(self, pad: pads.Pad, argv: list[str], environment: dict[str, str]) -> None:
        self.stdout, self.stderr = pad.stdout, pad.stderr
        self._pid = pad.pid
        pads.launch(pad, argv, environment)

    def end(self) -> int:
        self.leave()
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def leave(self) -> None:
        os.close(self.stdout)
        os.close(self.stderr)


class _Child:
    """A program outside of any cell: where a converter is tried without one, as in its tests."""

    def __init__(self, argv: list[str], environment: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environment
        )
        assert self._process.stdout is not None  # noqa: S101 - both are pipes, asked for above
        assert self._process.stderr is not None  # noqa: S101
        self.stdout = self._process.stdout.fileno()
        self.stderr = self._process.stderr.fileno()

    def end(self) -> int:
        with self._process:
            return self._process.wait()

    def leave(self) -> None:
        self._process.kill()
        self.end()


def _nothing() -> None:
    """Wait on."""


def _listen(listeners: "dict[int, _Head | _Tail | _Lines]", meanwhile: Callable[[], None]) -> None:
    """Give each listener what comes, until nobody can write any more."""
    poll = select.poll()
    for source in listeners:
        poll.register(source, select.POLLIN)
    while listeners:
        ready = poll.poll(_TICK_MS)
        if not ready:
            meanwhile()
        for source, _ in ready:
            if data := os.read(source, _CHUNK):
                listeners[source].take(data)
            else:
                poll.unregister(source)
                del listeners[source]


class _Head:
    def __init__(self) -> None:
        self.kept = bytearray()

    def take(self, data: bytes) -> None:
        self.kept += data[: STDOUT_BYTES - len(self.kept)]

    def close(self) -> None:
        pass


class _Tail:
    def __init__(self) -> None:
        self.kept = bytearray()

    def take(self, data: bytes) -> None:
        self.kept += data
        del self.kept[:-STDERR_BYTES]


class _Lines:
    kept = b""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._begun = bytearray()

    def take(self, data: bytes) -> None:
        *lines, rest = (bytes(self._begun) + data).split(b"\n")
        for line in lines:
            self._tell(line)
        self._begun = bytearray(rest)
        if len(rest) > _LINE_BYTES:
            self._tell(rest)
            self._begun.clear()

    def close(self) -> None:
        """Tell a last line that has no end."""
        if self._begun:
            self._tell(bytes(self._begun))

    def _tell(self, line: bytes) -> None:
        self._heard(line.decode(errors="replace"))
