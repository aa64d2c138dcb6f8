"""What the headers of a request ask for: JSON or a page, only news, an answer that may wait."""

import re

from starlette.requests import Request

_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,6})\"?(?=$|[,;\s])", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?"[^"]*"|\*')


def wants_page(request: Request) -> bool:
    """Whether a browser asks: text/html is named, and JSON is not liked as much."""
    weights = dict(_weights(request.headers.get("accept", "")))
    page = weights.get("text/html", 0.0)
    return page > 0 and page >= weights.get("application/json", 0.0)


def knows(request: Request, tag: str) -> bool:
    """Whether If-None-Match holds this tag, compared weakly (RFC 9110 §13.1.2)."""
    given = _TAG.findall(request.headers.get("if-none-match", ""))
    return "*" in given or tag.removeprefix("W/") in {one.removeprefix("W/") for one in given}


def preferred_wait(request: Request, *, most: int) -> int | None:
    """Return the seconds of `Prefer: wait=` (RFC 7240 §4.3), at most `most`; None without one."""
    found = _WAIT.search(",".join(request.headers.getlist("prefer")))
    return min(int(found[1]), most) if found else None


def _weights(accept: str) -> list[tuple[str, float]]:
    return [_weight(part) for part in accept.split(",") if part.strip()]


def _weight(part: str) -> tuple[str, float]:
    media_type, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return media_type, float(parameter[2:])
            except ValueError:
                return media_type, 0.0
    return media_type, 1.0
