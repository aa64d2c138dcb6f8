"""The way from the event loop to the storage: a few threads, and an answer in time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

ANSWER_SECONDS = 1.8


def _forget(_: object) -> None:
    pass


class Threads:
    """Runs what may block for ever, as a storage does that is away.

    Whoever waits hears of it in time, and what else the process does has threads of its own.
    """

    def __init__(self, most: int, *, name: str) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def run(self, work: Callable[[], T], *, undo: Callable[[T], object] = _forget) -> T:
        """Return what the work returns; raise TimeoutError after 1.8 s at the latest.

        Work whose turn has not come by then is never done. What it returns when nobody waits for
        it any more is given to `undo`.
        """
        working = self._pool.submit(work)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.wrap_future(working)
        except BaseException:
            working.add_done_callback(lambda done: _undone(done, undo))
            raise

    def close(self) -> None:
        """Let go of the threads; nothing is waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _undone(done: Future[T], undo: Callable[[T], object]) -> None:
    if not done.cancelled() and done.exception() is None:
        undo(done.result())
