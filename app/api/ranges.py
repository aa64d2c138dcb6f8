"""Which bytes of a file a request asks for (RFC 9110 §13.1.5 and §14)."""

import re
from collections.abc import Collection

from starlette.datastructures import Headers

from app.api.errors import Problem

_RANGE = r"(?:\d{1,18}-\d{0,18}|-\d{1,18})"
_RANGES = re.compile(rf"bytes=\s*({_RANGE}(?:\s*,\s*{_RANGE})*)\s*", re.ASCII | re.IGNORECASE)


def satisfiable(headers: Headers, *, size: int, validators: Collection[str]) -> str | None:
    """Return a Range header of what the file has, or None for the whole file.

    A Range that cannot be understood is ignored, and so is one for another file: one whose
    If-Range is none of the `validators`. Raise a Problem when nothing that is asked for is there.
    """
    asked = _asked(headers.get("range", ""))
    if not asked or headers.get("if-range") not in {None, *validators}:
        return None
    there = [text for text in asked if _is_there(text, size)]
    if not there:
        told = {"Content-Range": f"bytes */{size}"}
        raise Problem("range_not_satisfiable", f"The file has {size} bytes.", headers=told)
    return f"bytes={','.join(there)}"


def _asked(text: str) -> list[str]:
    found = _RANGES.fullmatch(text)
    ranges = re.split(r"\s*,\s*", found[1]) if found else []
    return [] if any(map(_is_backwards, ranges)) else ranges


def _is_backwards(text: str) -> bool:
    first, _, last = text.partition("-")
    return first != "" and last != "" and int(last) < int(first)


def _is_there(text: str, size: int) -> bool:
    first, _, last = text.partition("-")
    return int(first) < size if first else int(last) > 0 and size > 0
