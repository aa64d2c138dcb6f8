"""What the headers of a tus request say, or a refusal that names the header."""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from starlette.datastructures import Headers
from starlette.requests import Request

from app.api.errors import Problem

VERSION = "1.0.0"
PIECES = "application/offset+octet-stream"
MOST_METADATA = 8192
MOST_PARTS = 1000
MOST_BYTES = 2**62
# What each of these says of a whole file; a Content-Range says it of none.
_WHOLE = {
    "Content-Range": None,
    "Upload-Complete": "?1",
    "Upload-Incomplete": "?0",
    "Upload-Offset": "0",
}
_KEY = re.compile(r"[\x21-\x2b\x2d-\x7e]+", re.ASCII)  # printable, neither space nor comma
_PART = re.compile(
    r"(?:https?://[^/\s]+)?(?:/[^\s]*)?/uploads/"
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Creation:
    """What a creating request declares. `parts` is what a final upload is joined from.

    `size` is None while the length is deferred; a final upload's is the sum of its parts.
    """

    size: int | None
    metadata: str | None
    concat: str | None
    parts: tuple[UUID, ...]

    @property
    def facts(self) -> tuple[int | str | None, ...]:
        """Return what tells this request from others, in every release; `concat` has the parts."""
        return self.size, self.metadata, self.concat


def speaks_tus(headers: Headers) -> bool:
    """Whether a request is tus's: it says so, or has headers that nobody else sends.

    Upload-Length is also the IETF's, whose clients send Upload-Complete with it: to those who do
    not speak that, theirs is an upload like any other.
    """
    names = ("tus-resumable", "upload-defer-length", "upload-concat", "upload-metadata")
    is_told = "upload-length" in headers and "upload-complete" not in headers
    return is_told or any(name in headers for name in names)


def refuse_other_versions(request: Request) -> None:
    if _line(request, "Tus-Resumable") != VERSION:
        raise Problem("wrong_tus_version", headers={"Tus-Version": VERSION})


def refuse_partial(request: Request) -> None:
    """Refuse, where whole files are taken, what a header says is a part (RFC 9110 §14.5)."""
    for name, whole in _WHOLE.items():
        if any(said.strip() != whole for said in request.headers.getlist(name)):
            raise Problem(
                "bad_request",
                f"{name} says that this is a part of a file, and this request has to bring all "
                "of it.",
                hint="Send the whole file, or send it in parts by tus 1.0: docs/uploads.md.",
            )


def creation(request: Request) -> Creation:
    concat = _line(request, "Upload-Concat")
    parts = _parts(concat)
    return Creation(
        size=_size(request, is_final=bool(parts)),
        metadata=_metadata(request),
        concat=concat,
        parts=parts,
    )


def length(request: Request) -> int | None:
    """Return Upload-Length, None if it is not there."""
    return _whole(request, "Upload-Length")


def offset(request: Request) -> int:
    found = _whole(request, "Upload-Offset")
    if found is None:
        raise _bad("Upload-Offset is missing: it says where the bytes go on.")
    return found


def brings_pieces(request: Request) -> bool:
    """Whether the body is bytes of the file, and not something to be ignored."""
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == PIECES


def pairs(metadata: str | None) -> list[tuple[str, str]]:
    """Read Upload-Metadata, which was looked at when it came; what is not UTF-8 shows as such."""
    return [
        (key, base64.b64decode(value).decode("utf-8", "replace"))
        for key, value in _split(metadata or "")
    ]


def _size(request: Request, *, is_final: bool) -> int | None:
    declared = length(request)
    deferred = _line(request, "Upload-Defer-Length")
    if is_final:
        if declared is not None or deferred is not None:
            raise _bad("A final upload is as long as its parts: leave Upload-Length out.")
        return None
    if deferred not in {None, "1"}:
        raise _bad("Upload-Defer-Length can only be 1.")
    if (declared is None) == (deferred is None):
        raise _bad("One of Upload-Length and Upload-Defer-Length is needed, and not both.")
    return declared


def _metadata(request: Request) -> str | None:
    lines = request.headers.getlist("upload-metadata")
    if not lines:
        return None
    sent = ",".join(lines)  # a list may come in several lines (RFC 9110 §5.3)
    if len(sent) > MOST_METADATA:
        raise _bad(f"Upload-Metadata is longer than {MOST_METADATA} characters.")
    if not sent.isascii():
        raise _bad("Upload-Metadata is not ASCII: values have to be in Base64.")
    keys = [key for key, _ in _split(sent)]
    if len(keys) != len(set(keys)):
        raise _bad("Upload-Metadata has the same key twice.")
    return sent


def _split(metadata: str) -> Iterable[tuple[str, str]]:
    """Yield keys and values; spaces after commas and a last comma are what some clients write."""
    for pair in filter(None, (part.strip(" ") for part in metadata.split(","))):
        key, _, value = pair.partition(" ")
        if not _KEY.fullmatch(key) or not _is_base64(value.strip(" ")):
            raise _bad(f"Upload-Metadata: {pair[:60]!r} is not a key and a value in Base64.")
        yield key, value.strip(" ")


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _parts(concat: str | None) -> tuple[UUID, ...]:
    if concat is None or concat == "partial":
        return ()
    kind, _, urls = concat.partition(";")
    found = [_PART.fullmatch(url) for url in urls.split()]
    if kind.strip() != "final" or not found or not all(found):
        raise _bad("Upload-Concat is either partial, or final; and the addresses of uploads here.")
    if len(found) > MOST_PARTS:
        raise _bad(f"Upload-Concat names more than {MOST_PARTS} uploads.")
    return tuple(UUID(one[1]) for one in found if one)


def _whole(request: Request, name: str) -> int | None:
    text = _line(request, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 19 or int(text) > MOST_BYTES:
        raise _bad(f"{name} is not a whole number of bytes.")
    return int(text)


def _line(request: Request, name: str) -> str | None:
    """Return the one line that a header has, None if it is not there."""
    lines = request.headers.getlist(name)
    if len(lines) > 1:
        raise _bad(f"{name} came {len(lines)} times: send it once.")
    return lines[0] if lines else None


def _bad(detail: str) -> Problem:
    return Problem("bad_upload_header", detail)
