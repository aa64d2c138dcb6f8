"""A private folder for each attempt, and the tidying of those that dead workers left."""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from worker.cell.clearing import clear

_SIGN = "alive"
# Only what this file or a trial made is ever deleted, wherever an operator puts the folder.
_WORKER = re.compile(r"[\w.-]+-[0-9a-f]{8}")
_START = "[0-9a-f]" * 8  # a host's name may be the beginning of another one's
_TRIAL = re.compile(r"\.trial-\w+")
TRIAL_SECONDS = 3600.0


class OtherFileSystem(Exception):
    """Scratch and data are on two file systems, so a result could not be published by a rename."""


def of_house(scratch: Path, house: UUID) -> Path:
    """Return the part of the scratch folder that belongs to this house."""
    return scratch / str(house)


def prepare(scratch: Path, data: Path, *, worker: str) -> Path:
    """Make this worker's folder; raise OtherFileSystem when results could not leave it."""
    mine = scratch / worker
    mine.mkdir(mode=0o700, parents=True, exist_ok=True)
    (mine / _SIGN).touch()
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
        clear(place)


def sign(mine: Path) -> None:
    """Leave a sign of life for others, and for a health check that cannot ask the database."""
    with contextlib.suppress(OSError):  # a full or absent disk must not stop the desk
        (mine / _SIGN).touch()


def signs(scratch: Path, host: str) -> list[float]:
    """Return when workers of this host last gave a sign of life, as seconds since the epoch."""
    found = []
    for file in scratch.glob(f"*/{host}-{_START}/{_SIGN}"):
        with contextlib.suppress(FileNotFoundError):  # it ended meanwhile
            found.append(file.stat().st_mtime)
    return found


def left_by_others(scratch: Path, *, worker: str, older_than_seconds: float) -> list[str]:
    """Return the names of other workers' folders here that gave no sign of life for so long."""
    if not scratch.exists():
        return []  # there has been no room to make it
    now = time.time()
    ages = {
        entry.name: (_last_sign(Path(entry.path)), _patience(entry.name, older_than_seconds))
        for entry in os.scandir(scratch)
        if entry.is_dir(follow_symlinks=False) and entry.name != worker
    }
    return [
        name
        for name, (last, patience) in ages.items()
        if last is not None and patience is not None and now - last > patience
    ]


def remove(mine: Path) -> None:
    """Delete a worker's folder."""
    clear(mine)


def _last_sign(place: Path) -> float | None:
    with contextlib.suppress(FileNotFoundError):
        return (place if _TRIAL.fullmatch(place.name) else place / _SIGN).stat().st_mtime
    return None


def _patience(name: str, older_than_seconds: float) -> float | None:
    if _TRIAL.fullmatch(name):
        return TRIAL_SECONDS
    return older_than_seconds if _WORKER.fullmatch(name) else None
