"""Request bodies for the API's description, and the small ones read whole."""

import json
from typing import Any
from urllib.parse import parse_qsl

from pydantic import BaseModel
from starlette.requests import Request

from app.api.errors import CATALOGUE, MEDIA_TYPE, Problem
from app.ingest.body import pieces
from app.ingest.limits import Limits

MOST_BYTES = 64 * 1024

FILE: dict[str, Any] = {
    "parameters": [
        {
            "name": "to",
            "in": "query",
            "description": "Target format; may be repeated. Default: what suits the file.",
            "schema": {"type": "array", "items": {"type": "string"}},
        },
        {
            "name": "wait",
            "in": "query",
            "description": "Seconds to wait for the end, at most 60; then 303 to the result.",
            "schema": {"type": "number", "minimum": 0},
        },
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "to": {"type": "array", "items": {"type": "string"}},
                    },
                    "additionalProperties": {"type": "string"},
                }
            },
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    },
}

_WISH = {
    "type": "object",
    "properties": {
        "to": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object"},
    },
}
WISH: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {"schema": _WISH},
            "application/x-www-form-urlencoded": {"schema": {"type": "object"}},
        }
    }
}


def answers(model: type[BaseModel] | None, *others: int) -> dict[int | str, dict[str, Any]]:
    """Describe what a route answers besides its usual status: problems, redirects, 304."""
    said: dict[int | str, dict[str, Any]] = {
        status: {"description": _description(status)} for status in others
    }
    problem = {"description": "A problem (RFC 9457)", "content": {MEDIA_TYPE: {}}}
    usual = {"description": "The upload's document", "model": model} if model else {}
    return {"default": problem, **({"2XX": usual} if usual else {}), **said}


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


def _description(status: int) -> str:
    titles = [entry.title for entry in CATALOGUE.values() if entry.status == status]
    usual = {303: "See the result, or the page of the upload.", 304: "Nothing has changed."}
    return usual.get(status) or " ".join(titles)
