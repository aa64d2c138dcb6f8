"""What the headers of one part of a form say: the name of its field and of its file."""

from collections.abc import Mapping
from dataclasses import dataclass

from python_multipart.multipart import parse_options_header

from app.ingest.refusals import BadMultipart

# The HTML standard has browsers escape these three, and nothing else, in names ("multipart/
# form-data encoding algorithm"); no escape for the percent sign exists.
_ESCAPED = (("%22", '"'), ("%0D", "\r"), ("%0A", "\n"))


@dataclass(frozen=True)
class Disposition:
    """`filename` is None for a text field, and "" where a browser's file input was left empty."""

    name: str
    filename: str | None


def disposition(headers: Mapping[bytes, bytes]) -> Disposition:
    """Read a part's Content-Disposition; `filename*` is ignored, as RFC 7578 §4.2 demands."""
    _refuse_transfer_encoding(headers)
    kind, options = parse_options_header(headers.get(b"content-disposition"))
    if kind != b"form-data" or b"name" not in options:
        raise BadMultipart("a part has no Content-Disposition: form-data with a name")
    filename = options.get(b"filename")
    return Disposition(_text(options[b"name"]), None if filename is None else _text(filename))


def _refuse_transfer_encoding(headers: Mapping[bytes, bytes]) -> None:
    """RFC 7578 §4.7 has retired it; a base64 body taken for the file itself would be damaged."""
    encoding = headers.get(b"content-transfer-encoding", b"binary").strip().lower()
    if encoding not in {b"binary", b"8bit", b"7bit"}:
        raise BadMultipart("a part has a Content-Transfer-Encoding; send it as binary")


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")  # an old client; a wrong letter is better than no upload
    for escape, character in _ESCAPED:
        text = text.replace(escape, character)
    return text
