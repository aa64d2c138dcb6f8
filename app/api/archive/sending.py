"""A zip on its way: read by threads, a piece ahead of what is sent."""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

from starlette.responses import StreamingResponse
from starlette.types import Send

from app.api.archive.archive import Checksums, Pieces
from app.log import get_logger

THREADS = 4

log = get_logger()


class Archives:
    """What all zips of a process share: threads of their own, and the checksums of files."""

    def __init__(self) -> None:
        self.checksums = Checksums()
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="archive")

    def close(self) -> None:
        """Let go of the threads; nothing is waited for."""
        self.threads.shutdown(wait=False, cancel_futures=True)


class Sending(StreamingResponse):
    """An answer that is broken off, so that nobody takes it for whole, when a file cannot be read.

    Its headers have said how long it is, and no zip ends well without its last bytes.
    """

    def __init__(
        self, pieces: Pieces, *, threads: ThreadPoolExecutor, status: int, headers: dict[str, str]
    ) -> None:
        self._pieces = _read_ahead(pieces, threads=threads)
        super().__init__(self._pieces, status, headers, media_type="application/zip")

    async def stream_response(self, send: Send) -> None:
        head = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **head})
        try:
            async with aclosing(self._pieces) as pieces:
                async for piece in pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        except OSError as error:
            log.warning("archive.broken_off", reason=str(error))
            return  # without an end: the server closes the connection
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read_ahead(
    pieces: Pieces, *, threads: ThreadPoolExecutor
) -> AsyncGenerator[bytes, None]:
    """Yield the pieces that are not empty; a thread gets the next one while this one is sent."""
    reading = threads.submit(next, pieces, None)
    try:
        while (piece := await asyncio.wrap_future(reading)) is not None:
            reading = threads.submit(next, pieces, None)
            if piece:
                yield piece
    finally:
        # A thread may still be at it: the file is closed after it, by whoever is last.
        reading.add_done_callback(lambda _: pieces.close())
