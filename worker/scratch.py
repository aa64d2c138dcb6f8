"""A private folder for each attempt, and the tidying of those that dead workers left."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

_SIGN = "alive"


class OtherFileSystem(Exception):
    """Scratch and data are on two file systems, so a result could not be published by a rename."""


def prepare(scratch: Path, data: Path, *, worker: str) -> Path:
    """Make this worker's folder; raise OtherFileSystem when results could not leave it."""
    mine = scratch / worker
    mine.mkdir(mode=0o700, parents=True, exist_ok=True)
    if mine.stat().st_dev != data.stat().st_dev:
        raise OtherFileSystem(
            f"ROWMILL_SCRATCH ({scratch}) and ROWMILL_DATA ({data}) are on different file systems. "
            "Put the scratch folder on the file system of the data, or leave it unset."
        )
    return mine


@contextmanager
def folder(mine: Path, lease_id: UUID) -> Iterator[Path]:
    """Yield an empty private folder; it is gone afterwards, whatever lies in it."""
    place = mine / lease_id.hex
    place.mkdir(mode=0o700)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sign(mine: Path) -> None:
    """Leave a sign of life for a health check that cannot ask the database."""
    with contextlib.suppress(OSError):  # a full or absent disk must not stop the desk
        (mine / _SIGN).touch()


def signs(scratch: Path, host: str) -> list[float]:
    """Return when workers of this host last gave a sign of life, as seconds since the epoch."""
    return [sign.stat().st_mtime for sign in scratch.glob(f"{host}-*/{_SIGN}")]


def left_by_others(scratch: Path, *, worker: str, older_than_seconds: float) -> list[str]:
    """Return the names of other workers whose folders here have not changed for so long.

    A worker makes its folder before its row, so a new one must not be taken for a dead one's.
    """
    now = time.time()
    return [
        entry.name
        for entry in os.scandir(scratch)
        if entry.is_dir()
        and entry.name != worker
        and now - entry.stat().st_mtime > max(older_than_seconds, _least_age(entry.name))
    ]


def _least_age(name: str) -> float:
    return 3600.0 if name.startswith(".") else 0.0  # a trial, of which no row knows


def remove(mine: Path) -> None:
    """Delete a worker's folder."""
    shutil.rmtree(mine, ignore_errors=True)
