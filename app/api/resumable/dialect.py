"""The headers around every answer to a tus client, errors included."""

from datetime import UTC, datetime
from email.utils import format_datetime

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.resumable.headers import VERSION, speaks_tus
from app.api.resumable.rows import Row
from app.settings import Settings

EXTENSIONS = (
    "creation,creation-with-upload,creation-defer-length,termination,expiration,concatenation"
)
_OVERRIDES = frozenset({"PATCH", "DELETE", "HEAD"})


class Dialect:
    """Says Tus-Resumable with each answer, and lets a POST be what X-HTTP-Method-Override says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_spoken(scope):
            return await self._app(scope, receive, send)
        scope = _overridden(scope)

        async def send_in_dialect(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                headers["Tus-Resumable"] = VERSION
                if scope["method"] == "HEAD":
                    headers["Cache-Control"] = "no-store"
                message = {**message, "headers": headers.raw}
            await send(message)

        return await self._app(scope, receive, send_in_dialect)


def discovery(settings: Settings) -> dict[str, str]:
    """Return what OPTIONS tells."""
    return {"Tus-Version": VERSION, "Tus-Extension": EXTENSIONS, **limits(settings)}


def limits(settings: Settings) -> dict[str, str]:
    most = settings.max_upload_bytes
    age = int(settings.upload_expires_seconds)
    return {
        "Tus-Max-Size": str(most),
        "Upload-Limit": f"max-size={most}, min-size=1, max-age={age}",
    }


def standing(row: Row, *, offset: int) -> dict[str, str]:
    """Return what HEAD tells of an upload."""
    said = {"Upload-Offset": str(offset), "Cache-Control": "no-store", "Tus-Resumable": VERSION}
    said |= {"Upload-Defer-Length": "1"} if row.size is None else {"Upload-Length": str(row.size)}
    if row.metadata is not None:
        said["Upload-Metadata"] = row.metadata
    if row.concat is not None:
        said["Upload-Concat"] = row.concat
    return said | expiry(None if row.is_complete else row.expires_at)


def expiry(moment: datetime | None) -> dict[str, str]:
    """Return until when an upload may be gone on with (RFC 9110 §5.6.7)."""
    if moment is None:
        return {}
    return {"Upload-Expires": format_datetime(moment.astimezone(UTC), usegmt=True)}


def _is_spoken(scope: Scope) -> bool:
    is_ours = scope["path"].startswith("/uploads")
    is_tus = scope["method"] in {"PATCH", "OPTIONS"} or speaks_tus(Headers(scope=scope))
    return is_ours and is_tus


def _overridden(scope: Scope) -> Scope:
    wanted = ",".join(Headers(scope=scope).getlist("x-http-method-override")).upper()
    return (
        {**scope, "method": wanted} if scope["method"] == "POST" and wanted in _OVERRIDES else scope
    )
