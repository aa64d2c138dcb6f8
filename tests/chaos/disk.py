"""A small disk of its own for the data of a chaos run, where this machine lets root have one."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE_BYTES = 96 * 1024**2
FILES = 20_000
BALLAST = "ballast"


@contextmanager
def small_disk() -> Iterator[Path]:
    """Yield a folder; `is_small` tells whether it is a disk that can be filled."""
    with tempfile.TemporaryDirectory(prefix="rmchaos-", dir="/tmp") as folder:
        command = [
            "mount",
            "-t",
            "tmpfs",
            "-o",
            f"size={SIZE_BYTES},nr_inodes={FILES}",
            "tmpfs",
            folder,
        ]
        mounted = os.getuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
        try:
            yield Path(folder)
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", folder], check=True)


def is_small(folder: Path) -> bool:
    return os.path.ismount(folder)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Write until nothing more fits, and make room again.

    Raise ValueError for a folder on a disk that others need, too.
    """
    if not is_small(disk):
        raise ValueError(f"{disk} is not a disk of its own")
    ballast = disk / BALLAST
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(64 * 1024))
    yield
    ballast.unlink()


@contextmanager
def crowded(disk: Path) -> Iterator[None]:
    """Let nobody make a file or a folder, as on a disk whose last block is taken; then let them.

    Raise ValueError for a folder on a disk that others need, too.
    """
    if not is_small(disk):
        raise ValueError(f"{disk} is not a disk of its own")
    crowd = disk / "crowd"
    crowd.mkdir()
    with contextlib.suppress(OSError):
        for number in range(FILES):
            (crowd / str(number)).touch()
    yield
    shutil.rmtree(crowd)
