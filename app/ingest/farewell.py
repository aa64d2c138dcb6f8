"""An answer to a body that was not read to its end, in a way that the client gets to see it."""

import asyncio
import contextlib
import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from app.ingest.body import is_complete
from app.ingest.headers import has_body

MIB = 1024**2


def farewell(request: Request, answer: Response) -> Response:
    """Return the answer as a Farewell if the request has a body, which may be unread."""
    if not has_body(request):
        return answer
    parting = Farewell(answer.body, answer.status_code)
    parting.raw_headers = answer.raw_headers
    return parting


class Farewell(Response):
    """A response after which the connection is closed, unless the body is complete.

    Closing a socket with unread bytes in it resets the connection, and a client that is still
    sending may lose the answer over it. So the answer goes out first, then a little of the body is
    read and thrown away, then the connection is closed. Not closing it would make the server read
    the rest, however long it is. A client that waits for `100 Continue` is not asked to go on.
    """

    most_bytes = MIB
    seconds = 2.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_complete(scope):
            await super().__call__(scope, receive, send)
            return
        self.headers["connection"] = "close"

        async def hold_open(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "more_body": True}
            await send(message)

        await super().__call__(scope, receive, hold_open)
        await self._drain(receive)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _drain(self, receive: Receive) -> None:
        """Read until the client has finished or is gone; when enough is read, only wait."""
        ends = time.monotonic() + self.seconds
        left = self.most_bytes
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.seconds):
                while left > 0:
                    message = await receive()
                    if not message.get("more_body", False):
                        return
                    left -= len(message["body"])
                await asyncio.sleep(ends - time.monotonic())
