"""The bytes of a request as they come, from a client that neither stalls nor hangs up."""

import asyncio
import time
from collections.abc import AsyncGenerator

from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from app.ingest.limits import Limits
from app.ingest.refusals import BodyTooSlow, ClientGone

_COMPLETE = "rowmill.body_complete"


async def pieces(request: Request, *, limits: Limits) -> AsyncGenerator[bytes, None]:
    """Yield the body piece by piece; raise BodyTooSlow or ClientGone."""
    pace = _Pace(limits)
    more = True
    while more:
        message = await pace.next_message(request.receive)
        if message["type"] != "http.request":
            raise ClientGone
        more = message.get("more_body", False)
        request.scope[_COMPLETE] = not more
        piece: bytes = message.get("body", b"")
        if more:
            pace.judge(len(piece))
        if piece:
            yield piece


def is_complete(scope: Scope) -> bool:
    """Whether the whole body of a request was read, so that its connection can be used again."""
    return bool(scope.get(_COMPLETE, False))


class _Pace:
    """Only the time spent waiting for the client counts: a slow disk is not its fault."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waited = 0.0
        self._brought = 0

    async def next_message(self, receive: Receive) -> Message:
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._limits.idle_seconds):
                return await receive()
        except TimeoutError:
            raise BodyTooSlow(self._limits.idle_seconds) from None
        finally:
            self._waited += time.monotonic() - began

    def judge(self, brought: int) -> None:
        """Look once for every `idle_seconds` of waiting at how much they have brought."""
        self._brought += brought
        if self._waited < self._limits.idle_seconds:
            return
        if self._brought < self._waited * self._limits.least_rate:
            raise BodyTooSlow(self._waited)
        self._waited, self._brought = 0.0, 0
