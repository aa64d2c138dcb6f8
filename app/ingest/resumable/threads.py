"""Work that blocks on the storage, and is not lost sight of when a request ends."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from app.ingest.dock import Dock

T = TypeVar("T")


def _forget(_: object) -> None:
    pass


async def in_thread(
    dock: Dock, work: Callable[[], T], *, undo: Callable[[T], object] = _forget
) -> T:
    """Return what the work returns. It is done also if the request is cancelled meanwhile.

    What it returns when nobody waits for it any more is given to `undo`.
    """
    working = dock.threads.submit(work)
    try:
        return await asyncio.shield(asyncio.wrap_future(working))
    except asyncio.CancelledError:
        working.add_done_callback(lambda done: _undone(done, undo))
        raise


def _undone(done: Future[T], undo: Callable[[T], object]) -> None:
    if done.exception() is None:
        undo(done.result())
