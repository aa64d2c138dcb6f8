"""What holds for every request: safe headers, no orders from other sites, no naked crash."""

from prometheus_client import Counter
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api import owners
from app.api.answers import problem_response
from app.api.cors import INVITED
from app.api.errors import Problem
from app.api.sites import SAFE_METHODS, is_foreign
from app.log import get_logger

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    # Not no-referrer: browsers then say "Origin: null" when our own forms are sent.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "private, no-store",
}
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

log = get_logger()


class Guard:
    """Everything is answered through it; the layers of ours around it only add headers.

    Around those is only Starlette's ServerErrorMiddleware, which never sees an error but that of an
    answer already begun. A header that a handler has set stays.
    """

    def __init__(self, app: ASGIApp, *, requests: Counter) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        request = Request(scope, receive)
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _add_headers(request, message)
                self._requests.labels(_method(request), message["status"]).inc()
            await send(message)

        try:
            if _is_order_of_a_stranger(request):
                problem = Problem("cross_site")
                return await problem_response(request, problem)(scope, receive, send_safely)
            await self._app(scope, receive, send_safely)
        except Exception:
            log.exception("request.crashed", method=scope["method"])
            if started:
                raise  # the answer is broken off, so that nobody takes it for whole
            await problem_response(request, Problem("internal"))(scope, receive, send_safely)


def _add_headers(request: Request, message: Message) -> None:
    headers = MutableHeaders(raw=message["headers"])
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    owners.tell(request, headers)
    message["headers"] = headers.raw


def _method(request: Request) -> str:
    return request.method if request.method in _METHODS else "other"  # a label has few values


def _is_order_of_a_stranger(request: Request) -> bool:
    """Forms of any site can post here; those whom the operator has let in may."""
    is_order = request.method not in SAFE_METHODS
    return is_order and not request.scope.get(INVITED) and is_foreign(request)
