"""Whose an upload is: the browser's that sent it, or whoever's that holds its token."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.requests import Request

from app.api.errors import Problem
from app.api.negotiation import wants_page
from app.api.sites import is_foreign

COOKIE = "rowmill_owner"
HEADER = "Upload-Manage"
KEEP_SECONDS = 400 * 86400  # browsers keep none for longer
_SHAPE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)  # 256 random bits
_BROWSERS_SEND = ("sec-fetch-site", "origin")


@dataclass(frozen=True, kw_only=True)
class Rights:
    """Who may change an upload, as its row keeps it: digests, of which nobody can make the rest."""

    owner: str | None
    manage: str


class Owned(Protocol):
    """An upload; both are None if it was made before uploads had owners."""

    @property
    def owner(self) -> str | None: ...
    @property
    def manage(self) -> str | None: ...


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def owner_of(request: Request) -> str | None:
    """Return whose uploads the request may see. A page of another site cannot use the cookie."""
    cookie = _cookie(request)
    return None if cookie is None else _digest(cookie)


def rights(request: Request, token: str) -> Rights:
    """Return the rights to what the request makes; its answer will tell them.

    A browser without a cookie gets one with it. A program has only the token.
    """
    hand_out(request, token)
    greet(request)
    cookie = getattr(request.state, "owner_cookie", None) or _cookie(request)
    return Rights(owner=cookie and _digest(cookie), manage=_digest(token))


def hand_out(request: Request, token: str) -> None:
    """Give the token to whoever made the upload; no other answer has it."""
    request.state.manage_token = token


def greet(request: Request) -> None:
    """Have the answer give a browser its cookie if it has none."""
    is_browser = wants_page(request) or any(name in request.headers for name in _BROWSERS_SEND)
    if _cookie(request) is None and is_browser and not is_foreign(request):
        request.state.owner_cookie = new_secret()


def visited(request: Request) -> None:
    """Have the answer, a page, give a browser its cookie, or give it for longer."""
    if not is_foreign(request):
        request.state.owner_cookie = _cookie(request) or new_secret()


def tell(request: Request, headers: MutableHeaders) -> None:
    """Add to an answer, whichever it has become, what the request's handler gave away."""
    cookie = getattr(request.state, "owner_cookie", None)
    if cookie is not None:
        headers.append(
            "Set-Cookie", _set_cookie(cookie, is_secure=request.scope["scheme"] == "https")
        )
    token = getattr(request.state, "manage_token", None)
    if token is not None:
        headers[HEADER] = token


def refuse_strangers(request: Request, upload: Owned) -> None:
    """Raise 403 unless the request shows the cookie or the token of the upload."""
    if not is_theirs(request, upload):
        raise Problem("not_yours")


def is_theirs(request: Request, upload: Owned) -> bool:
    if upload.owner is None and upload.manage is None:
        return True
    return _same(owner_of(request), upload.owner) or any(
        _same(_digest(token), upload.manage) for token in _tokens(request)
    )


def _cookie(request: Request) -> str | None:
    """Return the cookie if it is one of ours by its shape; any other is replaced."""
    found = request.cookies.get(COOKIE, "")
    return found if _SHAPE.fullmatch(found) and not is_foreign(request) else None


def _set_cookie(value: str, *, is_secure: bool) -> str:
    secure = "; Secure" if is_secure else ""
    return f"{COOKIE}={value}; Max-Age={KEEP_SECONDS}; Path=/; HttpOnly; SameSite=Lax{secure}"


def _tokens(request: Request) -> list[str]:
    """Return what was given: a proxy that wants Basic needs Authorization for itself."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    bearer = [token.strip()] if scheme.lower() == "bearer" else []
    return [*bearer, *request.headers.getlist(HEADER)]


def _same(shown: str | None, kept: str | None) -> bool:
    return shown is not None and kept is not None and hmac.compare_digest(shown, kept)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
