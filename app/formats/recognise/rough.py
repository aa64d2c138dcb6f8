"""Text with a few characters that no text has, or in UTF-16 without its mark.

Nothing reads it unless its name says that it is a table: a NUL in a cell is nobody's fault.
"""

import codecs

from app.formats.recognise.marks import BOMS, CONTROL
from app.formats.recognise.window import Window

ROUGH = "rough-text"

_SAMPLE = 64 * 1024
_MOST_CONTROLS = 0.1  # of all characters; of UTF-16, as many must at least be ASCII
_LEAST_ASCII = 4
_MOST_BYTES = 0.005  # of controls in an older encoding, of which any other byte is a letter
_LEAST_BYTES, _LEAST_SHARE = 128, 0.02
_WIDE = ("utf-16-le", "utf-16-be")


def rough(window: Window) -> str | None:
    """Return ROUGH or None; 24 bytes of noise pass for UTF-16 once in thirty million."""
    head = window.head[:_SAMPLE]
    for mark, encoding in BOMS:
        if head.startswith(mark):
            return ROUGH if _reads(head.removeprefix(mark), encoding) else None
    if _reads(head, "utf-8") or _is_older(head):
        return ROUGH if _controls(window.tail) <= len(window.tail) * _MOST_CONTROLS else None
    return ROUGH if any(_reads(head, encoding, is_wide=True) for encoding in _WIDE) else None


def _reads(data: bytes, encoding: str, *, is_wide: bool = False) -> bool:
    """Whether this is text in that encoding, but for a character cut at its end."""
    try:
        content = codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return False
    if len(CONTROL.findall(content)) >= len(content) * _MOST_CONTROLS:
        return False
    plain = sum(map(str.isascii, content)) if is_wide else len(content)
    return plain >= max(_LEAST_ASCII, len(content) * _MOST_CONTROLS)


def _is_older(data: bytes) -> bool:
    ascii_share = sum(byte < 0x80 for byte in data) / max(1, len(data))
    is_long = len(data) >= _LEAST_BYTES and ascii_share > _LEAST_SHARE
    return is_long and _controls(data) <= len(data) * _MOST_BYTES


def _controls(data: bytes) -> int:
    return len(CONTROL.findall(data.decode("latin-1")))
