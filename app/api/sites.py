"""Whether a page of another site is behind a request, by what browsers themselves say of it."""

from starlette.requests import Request

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def is_foreign(request: Request) -> bool:
    """Tell by Fetch Metadata, or else by Origin; programs send neither.

    Over plain HTTP browsers send only Origin. Whoever follows a link is a visitor, no stranger.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"} and not _is_visit(request)
    origin = request.headers.get("origin")
    return origin is not None and not _is_ours(request, origin)


def _is_visit(request: Request) -> bool:
    navigates = request.headers.get("sec-fetch-mode") == "navigate"
    return navigates and request.method in SAFE_METHODS


def _is_ours(request: Request, origin: str) -> bool:
    # Compared as text: a stranger may send what is no URL at all.
    scheme, _, host = origin.partition("://")
    is_weaker = scheme == "http" and request.scope["scheme"] == "https"
    return host == request.headers.get("host") and not is_weaker
