"""What came of a body: a file on disk that nobody owns yet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class Received:
    """A whole, synced file in `incoming`; the caller stores it or calls `discard`.

    `name` is what the client called it, to be cleaned before anyone sees it. `format` is what the
    bytes say, or None. `is_late`: some of the fields stood after the file.
    """

    upload_id: UUID
    name: str
    size: int
    sha256: str
    format: str | None
    part: Path
    fields: Mapping[str, list[str]] = field(default_factory=dict)
    is_late: bool = False

    def discard(self) -> None:
        """Leave no trace of it; this blocks, so an event loop hands it to a thread."""
        self.part.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class Glimpse:
    """What is known while most of a large file is still to come.

    `format` is what the first MiB says, or None if it says nothing. `fields` are those that stood
    before the file; more may follow.
    """

    name: str
    format: str | None
    fields: Mapping[str, list[str]]


# Looks at a large upload once, early, and raises whatever the caller wants to end it with.
Gate = Callable[[Glimpse], None]


def open_gate(_: Glimpse) -> None:
    """Let everything in: what is wrong with the file is told at the end."""
