"""Film and sound containers that tell more than their first bytes: Matroska, Ogg, ASF, MPEG."""

from app.formats.recognise.window import Window, big

_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_ASF_VIDEO = bytes.fromhex("c0ef19bc4d5bcf11a8fd00805f5c442b")
_EBML_DOCTYPE = 0x4282


def film(window: Window) -> str | None:
    """Return mkv, webm, ogg, opus, ogv, wmv, wma, mpg or ts."""
    head = window.head
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return {b"webm": "webm", b"matroska": "mkv"}.get(_doctype(head))
    if head.startswith(b"OggS\0"):
        return _ogg(head)
    if head.startswith(_ASF):
        return "wmv" if _ASF_VIDEO in head[: 64 * 1024] else "wma"
    return _mpeg(head)


def _doctype(head: bytes) -> bytes:
    """Return the DocType element of an EBML header (RFC 8794), or nothing."""
    _, at = _number(head, 4, keep_marker=False)
    for _ in range(16):
        element, at = _number(head, at, keep_marker=True)
        length, at = _number(head, at, keep_marker=False)
        if element == _EBML_DOCTYPE:
            return head[at : at + length].rstrip(b"\0")
        at += length
    return b""


def _number(head: bytes, at: int, *, keep_marker: bool) -> tuple[int, int]:
    """Read one variable-length number; its first set bit says how many bytes it has."""
    first = big(head[at : at + 1])
    width = 9 - first.bit_length()
    value = big(head[at : at + width])
    return (value if keep_marker else value & ((1 << 7 * width) - 1)), at + width


def _ogg(head: bytes) -> str:
    """Look at the pages that begin each stream: one with pictures makes it a film."""
    beginnings = head[: 4 * 1024]
    if b"\x80theora" in beginnings or b"\x01video\0\0\0" in beginnings:
        return "ogv"
    return "opus" if b"OpusHead" in beginnings else "ogg"


def _mpeg(head: bytes) -> str | None:
    if head.startswith(b"\0\0\x01\xba") and _is_pack(head[4:5]):
        return "mpg"
    if head.startswith(b"\0\0\x01\xb3") and head[7:8] not in (b"", b"\0"):
        return "mpg"
    if _has_packets(head, 0, 188) or _has_packets(head, 4, 192):
        return "ts"
    return None


def _is_pack(mark: bytes) -> bool:
    return big(mark) >> 6 == 0b01 or big(mark) >> 4 == 0b0010


def _has_packets(head: bytes, start: int, step: int) -> bool:
    return head[start : start + 5 * step : step] == b"\x47" * 5
