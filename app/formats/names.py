"""File names that strangers give, made fit to be shown, stored in a row and given back."""

import re
import unicodedata

from app.formats.known import KNOWN

LONGEST = 255  # bytes of UTF-8, what most file systems take
NAMELESS = "file"

_READ = 4096  # characters; the end of a longer name is enough, and no input makes this slow
_LONGEST_EXTENSION = 32
_UNSAFE = re.compile(r'[:*?"<>|]')
_DEVICE = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)",
    re.IGNORECASE,
)
_EXTENSIONS = frozenset(extension for known in KNOWN for extension in known.extensions)
# Letters and marks that show nothing: Hangul fillers, the grapheme joiner, Khmer inherent vowels,
# Mongolian separators, the empty Braille cell.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def clean_name(raw: str) -> str:
    """Return the last part of a path as a name that trips up no system, row, header or log.

    NFC, at most 255 bytes of UTF-8, never empty; no control, direction or zero-width character,
    no lone surrogate, nothing that Windows forbids. Cleaning a clean name changes nothing.
    """
    visible = "".join(map(_shown, _without_surrogates(raw[-_READ:])))
    parts = re.split(r"[/\\]", unicodedata.normalize("NFC", visible))
    names = (_trimmed(_UNSAFE.sub("_", part)) for part in reversed(parts))
    name = next(filter(None, names), NAMELESS)
    return _cut(f"_{name}" if _DEVICE.match(name) else name)


def result_name(name: str, extension: str) -> str:
    """Return the name of a result: `photo.heic` becomes `photo.webp`, `v1.2` becomes `v1.2.webp`.

    Only an extension that stands for a format is replaced; a cut takes the middle, not the end.
    """
    cleaned = clean_name(name)
    stem, dot, old = cleaned.rpartition(".")
    stem = _trimmed(stem) if dot and old.lower() in _EXTENSIONS else cleaned
    return clean_name(f"{_shortened(stem, LONGEST - len(extension) - 1)}.{extension}")


def _without_surrogates(raw: str) -> str:
    """Join surrogates that are a pair; one alone becomes the replacement character."""
    return raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shown(character: str) -> str:
    """Return a space for what moves the cursor, nothing for what is not seen."""
    if character.isspace():
        return " "
    kind = unicodedata.category(character)
    return "" if kind in ("Cc", "Cf", "Zl", "Zp") or character in _INVISIBLE else character


def _trimmed(name: str) -> str:
    """Collapse spaces; drop what hides a file, looks like an option or is lost on Windows."""
    return " ".join(name.split()).lstrip(" .-").rstrip(" .")


def _cut(name: str) -> str:
    """Shorten to LONGEST bytes, from the end of the stem, so that the extension survives."""
    if len(name.encode()) <= LONGEST:
        return name
    stem, dot, extension = name.rpartition(".")
    if not dot or len(extension.encode()) > _LONGEST_EXTENSION:
        return _shortened(name, LONGEST)
    return f"{_shortened(stem, LONGEST - len(extension.encode()) - 1)}.{extension}"


def _shortened(text: str, limit: int) -> str:
    """Return the longest beginning that has at most `limit` bytes and ends with a whole letter."""
    kept = text.encode()[:limit].decode(errors="ignore")
    end = len(kept)
    while 0 < end < len(text) and unicodedata.combining(text[end]):
        end -= 1  # an accent stays with its letter
    return (kept[:end] or kept).rstrip(" .")
