"""The static files of the pages: read once, named by their content, kept by browsers for a year.

One of them is not on the disk: the table of words, as a module for the scripts.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.api.errors import Problem
from app.api.parts import words_of
from app.words import API, CODED, ENGLISH, Words

FOLDER = Path(__file__).parent.parent / "web" / "static"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOR_EVER = "public, max-age=31536000, immutable"
TABLE = "table.js"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class _Assets:
    version: str
    files: dict[str, bytes]


def address(name: str, words: Words = ENGLISH) -> str:
    """Return where a static file is found, KeyError if there is none of that name.

    The version stands in the path, not in a query, so that it also holds for the modules
    that a module imports by relative names.
    """
    assets = _assets(words)
    assets.files[name]
    return f"/static/{assets.version}/{name}"


@router.api_route("/static/{version}/{name}", methods=["GET", "HEAD"])
async def static(request: Request, version: str, name: str) -> Response:
    assets = _assets(words_of(request))
    if name not in assets.files:
        raise Problem("not_found")
    # Another version is asked for while two releases run side by side: that answer may not stay.
    is_current = version == assets.version
    headers = {
        "ETag": f'"{assets.version}"',
        "Cache-Control": FOR_EVER if is_current else "no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(assets.files[name], media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
async def favicon(request: Request) -> Response:
    """Serve the mark to browsers that ask unasked, on a page that is not ours to write into."""
    body = _assets(words_of(request)).files["mark.svg"]
    headers = {"Cache-Control": "public, max-age=86400"}
    return Response(body, media_type=MEDIA_TYPES[".svg"], headers=headers)


@cache
def _assets(words: Words) -> _Assets:
    paths = sorted(path for path in FOLDER.iterdir() if path.suffix in MEDIA_TYPES)
    files = {path.name: path.read_bytes() for path in paths} | {TABLE: _module(words)}
    digest = hashlib.sha256()
    for name, body in files.items():
        digest.update(name.encode() + b"\0" + body)
    return _Assets(digest.hexdigest()[:12], files)


def _module(words: Words) -> bytes:
    """Return the table as a module, which no policy forbids and no script has to wait for."""
    said = {
        "LANGUAGE": words.language,
        "API": API,
        "TABLE": words.table,
        # what is told apart from a text that says more than its code
        "ENGLISH": {group: ENGLISH.table[group] for group in CODED},
    }
    lines = (f"export const {name} = {_json(value)};\n" for name, value in said.items())
    return "".join(lines).encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
