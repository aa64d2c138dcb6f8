"""The Content-Disposition header: a file name for every client, old and new."""

import unicodedata
from urllib.parse import quote

# RFC 8187 §3.2.1: what an ext-value may hold unescaped besides letters and digits.
_PLAIN = "!#$&+-.^_`|~"


def content_disposition(name: str, *, inline: bool = False) -> str:
    """Return both forms of RFC 6266 §4.3; clients that know `filename*` prefer it."""
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{_fallback(name)}\"; filename*=UTF-8''{_extended(name)}"


def _fallback(name: str) -> str:
    # No quote, backslash or percent: clients disagree about how to read them.
    letters = unicodedata.normalize("NFKD", name)
    seen = [letter for letter in letters if not unicodedata.combining(letter)]
    plain = "".join(letter if _is_plain(letter) else "_" for letter in seen)
    return plain.strip() or "file"


def _is_plain(letter: str) -> bool:
    return " " <= letter <= "~" and letter not in '"\\%'


def _extended(name: str) -> str:
    return quote(name, safe=_PLAIN, errors="replace")
