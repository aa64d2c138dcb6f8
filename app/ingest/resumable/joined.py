"""Files that came side by side become one."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

from app.ingest.dock import Dock
from app.ingest.part import PartFile
from app.ingest.received import Received

READ_BYTES = 1024**2


class Unfinished(Exception):
    """One of the files is not there, or has another length than it should."""


def join(dock: Dock, upload_id: UUID, files: Sequence[tuple[Path, int]], *, name: str) -> Received:
    """Copy files of known lengths, in order, into a new synced one; leave nothing if that fails.

    This blocks for as long as a disk needs for it.
    """
    part = PartFile(dock.storage.incoming(upload_id), storage=dock.storage, digest=dock.digest())
    try:
        with ExitStack() as stack:
            sources = [_opened(stack, path, size) for path, size in files]
            for source in sources:
                for piece in _pieces(source):
                    part.append([piece])
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


def _pieces(descriptor: int) -> Iterator[bytes]:
    while piece := os.read(descriptor, READ_BYTES):
        yield piece
