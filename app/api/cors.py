"""Pages of other sites may use the API where the operator says so, and see why it refuses."""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INVITED = "rowmill.origin_is_invited"
EXPOSED = (
    "Upload-Offset, Location, Upload-Length, Tus-Version, Tus-Resumable, Tus-Max-Size, "
    "Tus-Extension, Tus-Checksum-Algorithm, Upload-Metadata, Upload-Defer-Length, Upload-Concat, "
    "Upload-Expires, Upload-Complete, Upload-Limit, Upload-Manage, Retry-After, ETag, "
    "Content-Disposition"
)
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, X-Requested-With, X-Request-ID, X-HTTP-Method-Override, Content-Type, "
        "Upload-Length, Upload-Offset, Tus-Resumable, Upload-Metadata, Upload-Defer-Length, "
        "Upload-Concat, Upload-Checksum, Upload-Complete, Upload-Draft-Interop-Version, "
        "Upload-Manage, Idempotency-Key, If-None-Match, Prefer"
    ),
    "Access-Control-Max-Age": "86400",
}


class Cors:
    """Adds headers to every answer, refusals included; which requests there are is not its affair.

    Cookies do not count (`sites.is_foreign`): a page that may make an upload is told its token.
    """

    def __init__(self, app: ASGIApp, *, origins: Collection[str]) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._origins:
            return await self._app(scope, receive, send)
        request = Headers(scope=scope)
        said = self._said(request.get("origin", ""))
        if said and scope["method"] == "OPTIONS" and "access-control-request-method" in request:
            said |= PREFLIGHT

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                headers.add_vary_header("Origin")
                headers.update(said)
                message = {**message, "headers": headers.raw}
            await send(message)

        return await self._app({**scope, INVITED: bool(said)}, receive, send_with_headers)

    def _said(self, origin: str) -> dict[str, str]:
        if origin and "*" in self._origins:
            allowed = "*"
        elif origin.lower() in self._origins:
            allowed = origin
        else:
            return {}
        return {"Access-Control-Allow-Origin": allowed, "Access-Control-Expose-Headers": EXPOSED}
