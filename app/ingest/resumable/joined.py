"""Files that came side by side become one."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

from app.ingest.dock import Dock
from app.ingest.part import PartFile
from app.ingest.received import Received
from app.ingest.running import RunningDigest


class Unfinished(Exception):
    """One of the files is not there, or has another length than it should."""


def join(
    dock: Dock,
    upload_id: UUID,
    files: Sequence[tuple[Path, int]],
    *,
    name: str,
    begun: RunningDigest | None = None,
) -> Received:
    """Make one new synced file of files of known lengths; leave nothing of it if that fails.

    This blocks for as long as a disk needs for it, and as long as the digest takes. `begun` is
    one of the first file, as far as somebody has it.
    """
    digest = begun or RunningDigest(dock.digest())
    part = PartFile(dock.storage.incoming(upload_id), storage=dock.storage, digest=digest)
    try:
        with ExitStack() as stack:
            sources = [(_opened(stack, path, size), size) for path, size in files]
            for source, size in sources:
                part.take_over(source, size)
        sha256, found = part.finish()
    except BaseException:
        part.discard()
        raise
    return Received(
        upload_id=upload_id, name=name, size=part.size, sha256=sha256, format=found, part=part.path
    )


def _opened(stack: ExitStack, path: Path, size: int) -> int:
    """Open all of them first: whatever is deleted meanwhile can still be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise Unfinished from error
    stack.callback(os.close, descriptor)
    if os.fstat(descriptor).st_size != size:
        raise Unfinished
    return descriptor
