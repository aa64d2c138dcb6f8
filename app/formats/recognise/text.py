"""Text, and which text: marks that are certain first, then what only shows by its shape."""

import codecs
import re

from app.formats.recognise.marks import BOMS, CONTROL
from app.formats.recognise.markup import markup
from app.formats.recognise.notation import notation
from app.formats.recognise.playlists import playlist
from app.formats.recognise.rough import rough
from app.formats.recognise.tables import table
from app.formats.recognise.window import Window
from app.formats.recognise.writing import writing

_SAMPLE = 64 * 1024
_UNMARKED_XML = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}  # XML 1.0, appendix F
_EAST_ASIAN = ("cp932", "gb18030", "euc_jp", "euc_kr", "big5")
_PLAIN = re.compile(rb"[A-Za-z0-9 \n\r\t.,;]")
_NOT_CONTROL = bytes(byte for byte in range(256) if not CONTROL.match(chr(byte)))


def text(window: Window) -> str | None:
    """Return the kind of text, "txt" when it has no marks of another, None when it is none."""
    content = _decoded(window)
    if content is None:
        return rough(window)
    sample = content[:_SAMPLE]
    return (
        playlist(content)
        or markup(content)
        or notation(content, window)
        or writing(sample)
        or table(sample, whole=window.whole and len(content) == len(sample))
        or "txt"
    )


def _decoded(window: Window) -> str | None:
    head = window.head
    for mark, encoding in BOMS:
        if head.startswith(mark):
            return _wide(head.removeprefix(mark), encoding)
    if head[:2] in _UNMARKED_XML:
        return _wide(head, _UNMARKED_XML[head[:2]])
    if not head or _has_controls(head) or _has_controls(window.tail):
        return None
    content = _unicode(head, "utf-8")
    if content is None and _is_older_text(head):
        return head.decode("latin-1")  # its letters are wrong, its commas and brackets right
    return content


def _wide(data: bytes, encoding: str) -> str | None:
    """Decode what a byte order mark announces; two bytes of noise look like one now and then."""
    content = _unicode(data, encoding)
    if content is None or CONTROL.search(content):
        return None
    return content if any(map(str.isascii, content[:1024])) else None


def _unicode(data: bytes, encoding: str) -> str | None:
    """Decode; a character cut at the end of the head is left out, any other fault is binary."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return None


def _has_controls(data: bytes) -> bool:
    return bool(data.translate(None, delete=_NOT_CONTROL))


def _is_older_text(head: bytes) -> bool:
    """Whether bytes that are not UTF-8 look like text in an older encoding, and not like noise.

    128 bytes of noise without a control character come once in three million; shorter ones
    must be plain Latin for the most part, or fit an encoding of East Asia and its habits.
    """
    if len(head) < 16 or not any(space in head for space in b" \n"):
        return False
    ascii_share = sum(byte < 0x80 for byte in head) / len(head)
    if len(head) >= 128:
        return ascii_share > 0.02
    plain_share = len(_PLAIN.findall(head)) / len(head)
    return plain_share > 0.75 or (len(head) >= 64 and ascii_share > 0.3 and _is_east_asian(head))


def _is_east_asian(head: bytes) -> bool:
    return any(_unicode(head, encoding) is not None for encoding in _EAST_ASIAN)
