"""Looks whether the sandbox holds, in each cell, before the first byte of input is read.

A sandbox that was put up without an error and does nothing is the worst of all.
"""

import errno
import os
import socket
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from worker.cell.prctl import PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, prctl
from worker.cell.task import Task

_FILTERED = 2


class Unconfined(Exception):
    """Something can be done here that no cell may do; the text says what."""


def canaries(task: Task) -> list[Path]:
    """Return folders that exist, that this user can list, and that the cell must not; look before.

    One holds the other cells' files, the other the other people's: had an operator put the data
    where programs lie, this is where it would be found out.
    """
    scratch = task.scratch.resolve()
    folders = {scratch.parent, task.origin.parent} - {scratch}
    return [folder for folder in folders if os.access(folder, os.R_OK)]


def check(outside: Iterable[Path]) -> None:
    """Raise Unconfined unless all that is tried here fails as it must."""
    for folder in outside:
        _must_be_closed(folder)
    _must_have_no_network()
    _must_be_filtered()


def _must_be_closed(folder: Path) -> None:
    try:
        os.close(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
    except OSError as error:
        if error.errno == errno.EACCES:
            return
        raise Unconfined(f"{folder} answers {error.strerror}, and not Permission denied") from error
    raise Unconfined(f"a cell can list {folder}, where the files of others lie")


def _must_have_no_network() -> None:
    with suppress(PermissionError):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
        raise Unconfined("a cell can make a network socket")


def _must_be_filtered() -> None:
    if prctl(PR_GET_NO_NEW_PRIVS) != 1:
        raise Unconfined("a cell can gain privileges")
    if prctl(PR_GET_SECCOMP) != _FILTERED:
        raise Unconfined("no seccomp filter is in force in a cell")
