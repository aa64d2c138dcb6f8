"""Requests without a server, for tests that decide themselves what comes in which message."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from tests.app.ingest.lab import BOUNDARY

FORM = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}


def request(
    pieces: Sequence[bytes], *, headers: Mapping[str, str] | None = None, ends: bool = True
) -> Request:
    """Deliver each piece as one message; without `ends` the client then falls silent."""
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [
            (name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()
        ],
    }
    waiting = list(pieces)

    async def receive() -> dict[str, Any]:
        if not waiting and not ends:
            await asyncio.Event().wait()
        body = waiting.pop(0) if waiting else b""
        return {"type": "http.request", "body": body, "more_body": bool(waiting) or not ends}

    return Request(scope, receive)
