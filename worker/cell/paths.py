"""What a cell may read, run and write.

It reads where programs and libraries lie, and never a whole folder of the import path: that of a
checkout holds the data, which is other people's files.
"""

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from worker.cell.landlock import Access, Grant
from worker.cell.task import Task

_READ = Access.READ_FILE | Access.READ_DIR
_READ_AND_RUN = _READ | Access.EXECUTE
_CHANGE = (
    _READ
    | Access.WRITE_FILE
    | Access.TRUNCATE
    | Access.MAKE_REG
    | Access.MAKE_DIR
    | Access.REMOVE_FILE
    | Access.REMOVE_DIR
)
_CHANGE_AND_BIND = _CHANGE | Access.MAKE_SOCK

# What stands in the way of a symbolic link (/lib, /etc/localtime) counts where it leads.
_PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "share")
_SYSTEM = ("/bin", "/lib", "/lib64", *(f"/usr/{part}" for part in _PARTS))
_LOCAL = tuple(f"/usr/local/{part}" for part in _PARTS)
_SETTINGS = ("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/var/cache/fontconfig")


def grants(task: Task) -> list[Grant]:
    """Return everything that the cell of this task may reach; look before it is confined."""
    needs = task.needs
    read = _READ_AND_RUN if needs.programs else _READ
    return [
        *_granted_always(runs=needs.programs > 0),
        *(Grant(Path(folder), read) for folder in needs.reads),
        Grant(task.origin, Access.READ_FILE),
        Grant(task.scratch, _CHANGE_AND_BIND if needs.unix_sockets else _CHANGE),
    ]


def prepare() -> None:
    """Find out what is always granted, when every package is loaded, for the cells to come."""
    for runs in (False, True):
        _granted_always(runs=runs)


@functools.cache
def _granted_always(*, runs: bool) -> tuple[Grant, ...]:
    return (
        *(Grant(path, _READ_AND_RUN if runs else _READ) for path in readable_always()),
        Grant(Path("/dev/null"), Access.READ_FILE | Access.WRITE_FILE),
        Grant(Path("/dev/urandom"), Access.READ_FILE),
    )


@functools.cache  # the spawner asks once, and every cell is forked with the answer
def readable_always() -> tuple[Path, ...]:
    """Return what every cell may read: the system's programs, Python, and the loaded packages."""
    system = map(Path, (*_SYSTEM, *_LOCAL, *_SETTINGS))
    # os.path, because Path raises for a folder that is closed to this user.
    named = (*system, *_of_python(), *_of_packages())
    found = {path.resolve() for path in named if os.path.exists(path)}  # noqa: PTH110
    return tuple(path for path in sorted(found) if not any(map(found.__contains__, path.parents)))


def _of_python() -> Iterator[Path]:
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}:
        yield from (Path(prefix) / part for part in (*_PARTS, "pyvenv.cfg"))


def _of_packages() -> Iterator[Path]:
    """Yield the folder of each top-level package that is loaded, the file of each such module."""
    for name, module in list(sys.modules.items()):
        if "." not in name and name != "__main__":
            yield from map(Path, _places(module))


def _places(module: ModuleType) -> Iterator[str]:
    folders = getattr(module, "__path__", None)
    file = getattr(module, "__file__", None)
    if folders is not None:
        yield from folders
    elif file is not None:
        yield file
