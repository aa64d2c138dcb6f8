"""Who may see the operator's page: whoever sits at this machine, or has the token."""

import hashlib
import hmac
import ipaddress

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.api.errors import Problem
from app.api.sites import is_foreign
from app.settings import Settings

COOKIE = "rowmill_ops"
KEEP_SECONDS = 7 * 86400
# What proxies add of their own accord. Behind one that adds nothing and hides the host's name, all
# the world looks like this machine: old ones speak HTTP/1.0, the others have to be told (the docs
# say so, and the page shows no name and no address of an upload).
_PROXIES_SEND = frozenset(
    {
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
        "cf-ray",
        "fastly-client-ip",
        "fly-client-ip",
        "x-envoy-external-address",
        "x-original-host",
        "x-original-url",
    }
)


def admit(request: Request, settings: Settings) -> Response | None:
    """Let in whom the operator lets in; return what answers `?token=`, which goes on without it.

    Raise 404 where there is no such page for who asks like this, 401 where a token opens it.
    """
    if settings.ops == "off" or is_foreign(request):
        raise Problem("not_found")
    if "token" in request.query_params and settings.ops_token is not None:
        return _without_the_token(request, settings.ops_token)
    if settings.ops == "auto" and is_at_this_machine(request, settings):
        return None
    if settings.ops_token is None:
        raise Problem("not_found")
    if not _has_token(request, settings.ops_token):
        raise _refusal()
    return None


def may_see(request: Request, settings: Settings) -> bool:
    """Whether the request would be let in as it is."""
    try:
        return admit(request, settings) is None
    except Problem:
        return False


def is_at_this_machine(request: Request, settings: Settings) -> bool:
    """Whether the request can only come from here: past no proxy, and by a name of this machine.

    By the name, because a page of any site may have its own name lead here (DNS rebinding).
    """
    hosts = request.headers.getlist("host")
    return (
        _is_loopback(settings.host)
        and request.client is not None
        and _is_loopback(request.client.host)
        and len(hosts) == 1
        and _is_loopback(_without_port(hosts[0]))
        and request.scope["http_version"] != "1.0"
        and not any(_proxies_send(name) for name in request.headers)
    )


def _without_the_token(request: Request, token: str) -> Response:
    if not _same(request.query_params["token"], token):
        raise _refusal()
    # The address that has the token must not be told to wherever one goes next.
    answer = RedirectResponse(request.url.path, 303, headers={"Referrer-Policy": "no-referrer"})
    answer.set_cookie(
        COOKIE,
        _mark(token),
        max_age=KEEP_SECONDS,
        path=request.url.path,
        secure=request.scope["scheme"] == "https",
        httponly=True,
        samesite="lax",  # strict would leave it out of the redirect after a link in a message
    )
    return answer


def _refusal() -> Problem:
    return Problem("not_the_operator", headers={"WWW-Authenticate": 'Bearer realm="ops"'})


def _has_token(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _same(given.strip(), token):
        return True
    return _same(request.cookies.get(COOKIE, ""), _mark(token))


def _mark(token: str) -> str:
    """Return what the cookie holds: who reads it does not have the token."""
    return hmac.new(token.encode(), b"the cookie of /ops", hashlib.sha256).hexdigest()


def _same(given: str, wanted: str) -> bool:
    """Compare in a time that tells nothing, whatever characters were sent."""
    return hmac.compare_digest(given.encode(errors="surrogateescape"), wanted.encode())


def _proxies_send(name: str) -> bool:
    return name in _PROXIES_SEND or name.startswith("x-forwarded")


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_loopback(host: str) -> bool:
    """Tell by the address alone: a name may lead anywhere tomorrow."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
