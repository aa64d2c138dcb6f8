"""Runs a program inside a cell: what it prints, how it ends."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

STDOUT_BYTES = 1024**2
STDERR_BYTES = 64 * 1024


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
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program to its end, in the current folder, with nothing to read on its stdin.

    `argv[0]` is an absolute path. `heard` gets each line of stdout as it comes. `environment` is
    added to the cell's own.
    """
    arguments = [str(part) for part in argv]
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(environment),
        ) as program:
            stdout = _listen(program, heard)
        size = errors.seek(0, 2)
        errors.seek(max(0, size - STDERR_BYTES))
        printed = errors.read().decode(errors="replace")
    code = program.returncode
    return Ended(code if code >= 0 else None, -code if code < 0 else None, stdout, printed)


def _listen(program: "subprocess.Popen[bytes]", heard: Callable[[str], None] | None) -> bytes:
    head = bytearray()
    assert program.stdout is not None  # noqa: S101 - it is a pipe, asked for above
    for line in program.stdout:
        if heard is not None:
            heard(line.decode(errors="replace").rstrip("\n"))
        elif len(head) < STDOUT_BYTES:
            head += line
    return bytes(head[:STDOUT_BYTES])


def _environment(added: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, **(added or {})}
