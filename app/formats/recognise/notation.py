"""JSON in one piece, JSON in lines, and Jupyter notebooks, which are JSON of a certain shape."""

import json
import re
from typing import Any

from app.formats.recognise.window import Window

_SAMPLE = 64 * 1024
_LINES = 20
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BETWEEN_STRINGS = re.compile(r"(?:[\s{}\[\]:,]|[-+.\d][-+.\deE]*|true|false|null)*+(?:[a-z]{0,4})")


def notation(text: str, window: Window) -> str | None:
    """Return json, ndjson or ipynb; a broken document is none of them, a cut one may be."""
    body = text.lstrip()
    if not body.startswith(("{", "[")):
        return None
    if _in_lines(body, whole=window.whole):
        return "ndjson"
    if not window.whole:
        return _cut(body, window.tail)
    document = _parsed(body)
    if document is None:
        return None
    is_notebook = isinstance(document, dict) and {"cells", "nbformat"} <= document.keys()
    return "ipynb" if is_notebook else "json"


def _in_lines(body: str, *, whole: bool) -> bool:
    """Whether there are at least two lines and each is an object or array of its own."""
    lines = body[: _SAMPLE * 4].splitlines()
    if not whole or len(body) > _SAMPLE * 4:
        lines = lines[:-1]
    rows = [line for line in lines if line.strip()][:_LINES]
    return len(rows) > 1 and all(_parsed(row) is not None for row in rows)


def _parsed(text: str) -> Any:
    """Return an object or array, or None; numbers stay text, for a long one is slow to read."""
    try:
        document = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, (dict, list)) else None


def _cut(body: str, tail: bytes) -> str | None:
    """Judge a document that goes on: outside of its strings only JSON's own words may stand."""
    sample = body[:_SAMPLE]
    if not _BETWEEN_STRINGS.fullmatch(_STRING.sub("", sample)) or '"' not in sample:
        return None
    if '"cells"' in sample and (b'"nbformat"' in tail or '"nbformat"' in sample):
        return "ipynb"
    return "json"
