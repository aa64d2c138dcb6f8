"""The small bodies, which are read whole: forms and JSON."""

import json
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from app.api.errors import Problem
from app.ingest.body import pieces
from app.ingest.limits import Limits

MOST_BYTES = 64 * 1024


async def small_body(request: Request, *, idle_seconds: float) -> bytes:
    """Return the whole body of a request that needs few bytes."""
    limits = Limits(max_bytes=MOST_BYTES, idle_seconds=idle_seconds)
    body = bytearray()
    async for piece in pieces(request, limits=limits):
        body += piece
        if len(body) > MOST_BYTES:
            raise Problem("too_large", f"At most {MOST_BYTES} bytes are read here.")
    return bytes(body)


def fields_of(body: bytes) -> list[tuple[str, str]]:
    """Read application/x-www-form-urlencoded."""
    try:
        return parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError as error:
        raise Problem("bad_request", "The form cannot be read.") from error


def object_of(body: bytes) -> dict[str, Any]:
    """Read a JSON object; an empty body counts as an empty one."""
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise Problem("bad_request", "The body is not JSON.") from error
    if not isinstance(found, dict):
        raise Problem("bad_request", 'The body must be an object such as {"to": "webp"}.')
    return found
