"""What the API's description says about bodies and answers that no signature tells it."""

from typing import Any

from pydantic import BaseModel

from app.api.errors import CATALOGUE, MEDIA_TYPE

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


def responses(model: type[BaseModel] | None, *others: int) -> dict[int | str, dict[str, Any]]:
    """Describe what a route answers besides its usual status: problems, redirects, 304."""
    said: dict[int | str, dict[str, Any]] = {
        status: {"description": _description(status)} for status in others
    }
    problem = {"description": "A problem (RFC 9457)", "content": {MEDIA_TYPE: {}}}
    usual = {"description": "The upload's document", "model": model} if model else {}
    return {"default": problem, **({"2XX": usual} if usual else {}), **said}


def _description(status: int) -> str:
    titles = [entry.title for entry in CATALOGUE.values() if entry.status == status]
    usual = {303: "See the result, or the page of the upload.", 304: "Nothing has changed."}
    return usual.get(status) or " ".join(titles)
