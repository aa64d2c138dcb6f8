"""A private folder for each attempt, and the tidying of those that dead workers left."""

import contextlib
import os
import shutil
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


def left_by_others(scratch: Path, *, worker: str) -> list[str]:
    """Return the names of the other workers that have a folder here."""
    return [entry.name for entry in os.scandir(scratch) if entry.is_dir() and entry.name != worker]


def remove(scratch: Path, *, worker: str) -> None:
    """Delete a worker's folder."""
    shutil.rmtree(scratch / worker, ignore_errors=True)
