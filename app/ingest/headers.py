"""What the headers of a request decide before a byte of its body is read."""

from python_multipart.multipart import MAX_BOUNDARY_LENGTH, parse_options_header
from starlette.requests import Request

from app.ingest.refusals import BadLength, BadMultipart, EncodedBody, TooLarge

MAX_CONTENT_TYPE = 1024


def declared_size(request: Request, *, limit: int, overhead: int = 0) -> int | None:
    """Return the Content-Length, None if the body comes in chunks; refuse what cannot be taken.

    `overhead` is what may come on top of a file of `limit` bytes.
    """
    _refuse_encoding(request)
    text = request.headers.get("content-length")
    if text is None or "transfer-encoding" in request.headers:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        raise BadLength
    if int(text) > limit + overhead:
        raise TooLarge(limit)
    return int(text)


def has_body(request: Request) -> bool:
    """Whether a body comes, or may come, with the request."""
    length = request.headers.get("content-length", "0")
    return length.strip("0") != "" or "transfer-encoding" in request.headers


def is_form(request: Request) -> bool:
    """Whether the body is a multipart form; everything else is the file itself."""
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == "multipart/form-data"


def boundary(request: Request) -> bytes:
    """Return the boundary of a multipart form; raise BadMultipart if it has no usable one."""
    content_type = request.headers.get("content-type", "")
    if len(content_type) > MAX_CONTENT_TYPE:
        raise BadMultipart(f"its Content-Type is longer than {MAX_CONTENT_TYPE} characters")
    found = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not found:
        raise BadMultipart("its Content-Type names no boundary")
    if len(found) > MAX_BOUNDARY_LENGTH:
        raise BadMultipart(f"its boundary is longer than {MAX_BOUNDARY_LENGTH} characters")
    if not all(0x20 <= byte < 0x7F for byte in found):
        raise BadMultipart("its boundary has characters that are not printable ASCII")
    return found


def _refuse_encoding(request: Request) -> None:
    encoding = request.headers.get("content-encoding", "identity").strip()
    if encoding.lower() not in {"identity", ""}:
        raise EncodedBody(encoding)
