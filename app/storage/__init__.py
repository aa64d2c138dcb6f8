"""Where files live between the moment they arrive and the moment they are deleted."""

import errno
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol
from uuid import UUID

from app.storage.disk import DiskStorage
from app.storage.house import WrongHouse
from app.storage.keys import Area

__all__ = ["FULL", "Area", "DiskStorage", "Storage", "WrongHouse"]

# What the kernel calls it when there is no room, or none that this user may have.
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class Storage(Protocol):
    """What the API and the workers ask of the place that holds the files.

    Every call blocks; what runs on an event loop hands it to a thread.
    """

    def claim_house(self, house_id: UUID, *, may_create: bool) -> None:
        """Make the storage ready for this house, or raise WrongHouse with the reason."""

    def check_house(self, house_id: UUID) -> None:
        """Raise WrongHouse unless the storage belongs to this house already."""

    def incoming(self, upload_id: UUID) -> Path:
        """Where the bytes of an upload are written while they arrive."""

    def free_bytes(self) -> int:
        """How much this process may still write."""

    def room_for(self, size: int) -> bool:
        """Whether a file of this size fits, with the reserve left free."""

    def store(self, part: Path, key: str) -> None:
        """Give a file that its writer has fsynced its lasting name; it survives a power loss."""

    def publish(self, made: Path, key: str) -> None:
        """Fsync a file that a converter made, then store it."""

    def publish_all(self, made: Mapping[Path, str]) -> None:
        """Do the same with several files; their keys appear in this order."""

    def link(self, key: str, name: str) -> None:
        """Give a file a second key, which lasts when the first is gone.

        Raise OSError when there is no such file, or when this storage cannot.
        """

    def read(self, key: str, *, most_bytes: int) -> bytes:
        """Return a small file's content; raise OSError if it is gone, or larger."""

    def results_of(self, upload_id: UUID) -> list[str]:
        """Return the keys of all that attempts left for an upload: results and outcomes."""

    def path(self, key: str) -> Path:
        """Return the path behind a key; raise ForeignKey for what keys.py did not make."""

    def exists(self, key: str) -> bool: ...

    def age(self, key: str) -> float:
        """Seconds since the file was last written; raise FileNotFoundError if it is gone."""

    def remove(self, key: str) -> bool:
        """Delete a file; False when it was gone already."""

    def walk(self, area: Area, *, older_than_seconds: float) -> Iterator[str]:
        """Yield the keys of old files; raise OSError when a folder cannot be listed."""

    def trash(self, key: str) -> None:
        """Put a file aside, so that a mistake can be undone for a while."""

    def empty_trash(self, *, older_than_seconds: float) -> int:
        """Delete what has lain in the trash that long, and say how many files it was."""
