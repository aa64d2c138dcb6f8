"""Tells in which encoding a text is written, and writes it anew as UTF-8."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from app.formats.recognise.marks import BOMS, CONTROL

HEAD_BYTES = 256 * 1024  # as much as is worth looking at

_CHUNK = 1024**2
_ALLOWED = bytes(byte for byte in range(256) if not CONTROL.match(chr(byte)))  # in UTF-8
_NARROW_SHARE = 0.25  # of the characters of a UTF-16 text without a mark: spaces, digits, tags

# Two bytes in Shift JIS: signs, kana, and the kanji of everyday use (JIS X 0208, level 1).
_EVERYDAY = re.compile("[\u3000-\u30ff\uff01-\uff5e\u4e00-\u9fff]")
_JAPANESE = re.compile("[\u3000-\u30ff\uff01-\uffef\u4e00-\u9fff\ue000-\uf8ff]+")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")

# In Western European words at most two letters beyond ASCII follow each other; in Cyrillic, Greek
# or Chinese text read as Windows-1252, nearly all do. Read so by mistake, other Latin encodings
# put signs and capitals into the middle of words. What belongs there is a small letter, an
# apostrophe, a hyphen or dash, an ellipsis, a space or a middle dot (Catalan).
_LETTERS = re.compile(r"[^\W\d_\x00-\x7f]+")
_WITHIN = re.compile(
    r"(?<=[a-z])[\x80-\uffff](?=[a-z])|(?<=[A-Za-z])[À-ÞŠŒŽŸ](?=[a-z])|(?<=[a-z])[À-ÞŠŒŽŸ]"
)
_FITTING = re.compile(r"[ß-öø-ÿšœžƒªº·\u2018\u2019\xb4\xad\xa0\u2013\u2014\u2026]")


def detect(head: bytes) -> str | None:
    """Return the Python name of the encoding that a text's first bytes are in, or None.

    None stands for what is no text at all as well as for text in an encoding that cannot be told
    apart from others. Known are: what begins with a byte order mark, UTF-8, UTF-16 without a
    mark, Shift JIS and Windows-1252. ASCII alone is UTF-8. The last character may be cut.
    """
    for mark, encoding in BOMS:
        if head.startswith(mark):
            return encoding if _text(head[len(mark) :], encoding) is not None else None
    if b"\0" in head:
        return _without_a_mark(head)
    if _text(head, "utf-8") is not None and not _ends_in_a_lone_accent(head):
        return "utf-8"
    if _is_japanese(head):
        return "cp932"
    return "cp1252" if _is_western(head) else None


def detect_in(source: Path) -> str | None:
    """Return the encoding of a file as `detect` does, from the first part that shows one.

    A long text often begins with nothing but ASCII; all of that is read past.
    """
    with source.open("rb") as file:
        chunk = head = file.read(HEAD_BYTES)
        while chunk and chunk.isascii() and b"\0" not in chunk:
            chunk = file.read(HEAD_BYTES)
        following = file.read(HEAD_BYTES)  # what shows it may be the last byte of its part
    if not chunk or chunk is head:
        return detect(head + following)
    first = next(at for at, byte in enumerate(chunk) if byte > 0x7F or not byte)
    return detect(chunk[first:] + following)


def transcode(source: Path, target: Path, *, encoding: str) -> None:
    """Write a text anew as UTF-8 without a byte order mark, in constant memory.

    Line ends stay as they are. Raises UnicodeDecodeError where the bytes do not fit.
    """
    with target.open("wb") as out:
        at_start = True
        for text in _decoded(source, encoding):
            out.write((text.removeprefix("\ufeff") if at_start else text).encode())
            at_start = at_start and not text


def read_through(source: Path, *, encoding: str) -> None:
    """Raise UnicodeDecodeError unless all of a text is in this encoding."""
    for _ in _decoded(source, encoding):
        pass


def has_controls(data: bytes, *, but: bytes = b"") -> bool:
    """Whether UTF-8 has characters that no text has, `but` aside; a pattern is ten times slower."""
    return bool(data.translate(None, delete=_ALLOWED + but))


def _decoded(source: Path, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _text(data: bytes, encoding: str) -> str | None:
    """Decode all but a character that is cut at the end; None if that is not text."""
    try:
        content = codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return None
    return None if has_controls(content.encode()) else content


def _ends_in_a_lone_accent(head: bytes) -> bool:
    """Whether nothing speaks for UTF-8 but a last byte that could begin a character."""
    return head[:-1].isascii() and not head.isascii()


def _without_a_mark(head: bytes) -> str | None:
    """Tell UTF-16 by its narrow characters, whose NUL is always on the same side of the pair."""
    first, second = head[0::2].count(0), head[1::2].count(0)
    few, many = sorted((first, second))
    if few * 4 > many or many < len(head) / 2 * _NARROW_SHARE:
        return None
    encoding = "utf-16-be" if many == first else "utf-16-le"
    return encoding if _text(head, encoding) is not None else None


def _is_japanese(head: bytes) -> bool:
    """Whether it reads as Shift JIS and its characters are common ones, in company.

    Western text may be valid Shift JIS too, one accent and the letter behind it at a time.
    """
    content = _text(head, "cp932")
    runs = _JAPANESE.findall(content) if content else []
    characters = sum(map(len, runs))
    if not characters:
        return False
    alone = sum(len(run) == 1 for run in runs)
    half = sum(len(_HALF_WIDTH.findall(run)) for run in runs)
    common = sum(_is_everyday(character) for run in runs for character in run)
    return (
        alone < characters * 0.3 and half < characters * 0.5 and common > (characters - half) * 0.6
    )


def _is_everyday(character: str) -> bool:
    """Whether it is a sign, a kana or a kanji of level 1, whose first byte is below 0x98."""
    if not _EVERYDAY.match(character):
        return False
    return character.encode("cp932") < b"\x98\x9f"


def _is_western(head: bytes) -> bool:
    content = _text(head, "cp1252")
    if content is None or not _has_words(content):
        return False
    runs = _LETTERS.findall(content)
    letters, in_long_runs = sum(map(len, runs)), sum(len(run) for run in runs if len(run) > 2)
    within = _WITHIN.findall(content)
    strange = sum(not _FITTING.match(sign) for sign in within)
    return in_long_runs <= letters * 0.3 and strange <= len(within) * 0.2


def _has_words(content: str) -> bool:
    """Whether half of it is ASCII, as even short names are in every Western language."""
    return sum(map(str.isascii, content)) >= len(content) * 0.5
