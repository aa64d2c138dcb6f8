"""In which encoding a table in text is written, and what stands between its cells."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from app.formats.encodings import codec
from app.formats.recognise.marks import BOMS
from worker.converters.encoding import detect_in
from worker.converters.refusal import Refusal
from worker.converters.table.request import Request

LONGEST_CELL = 64 * 1024**2

_SAMPLE = 64 * 1024
_ROWS = 200
# Of several that would do: a comma stands in numbers, a semicolon in few cells, a tab in none.
_CANDIDATES = ("\t", ";", "|", ",")
_MOST_EVEN = 2
_TITLES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}
_WIDE = ("utf-16-le", "utf-16-be")
_READABLE = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
    "cp932": "Shift JIS",
    "cp1252": "Windows-1252",
}


@dataclass
class Dialect:
    """How to read the text. `is_strict` ends at the first quote that makes no sense."""

    encoding: str
    delimiter: str
    start: int  # bytes before the first row: a byte order mark, a line "sep=;"
    size: int
    is_strict: bool = True

    @property
    def encoding_title(self) -> str:
        return _READABLE.get(self.encoding, self.encoding)

    @property
    def delimiter_title(self) -> str:
        return _TITLES.get(self.delimiter, self.delimiter)

    def open(self, source: Path) -> TextIO:
        """Open the text at its first row; its line ends come as they are."""
        file = source.open("rb", buffering=256 * 1024)
        file.seek(self.start)
        return io.TextIOWrapper(file, encoding=self.encoding, newline="")


@contextmanager
def checked(file: TextIO) -> Iterator[None]:
    """Turn bytes that are no text in this encoding into a refusal that says where they stand."""
    try:
        yield
    except UnicodeDecodeError as error:
        title = _READABLE.get(error.encoding, error.encoding)
        raise Refusal(
            "encoding_unknown",
            f"The text is not {title} throughout: before byte {file.buffer.tell():,} stands "
            f"something that is no {title}. Name the encoding in the option encoding, or save the "
            "file as UTF-8.",
        ) from error


def find(request: Request, *, encoding: tuple[str, int] | None = None) -> Dialect:
    """Return how this text is written: what the options say, or else what its bytes show.

    A known `encoding` comes with the bytes that its mark takes.
    """
    csv.field_size_limit(LONGEST_CELL)
    size = request.source.stat().st_size
    if not size:
        raise Refusal("corrupt_input", "The file is empty.")
    name, start = encoding or find_encoding(request)
    dialect = Dialect(name, ",", start, size)
    with dialect.open(request.source) as file, checked(file):
        sample = file.read(_SAMPLE)
    announced, length = _announced(sample)
    dialect.start += len(sample[:length].encode(name))
    usual = "\t" if request.source_format == "tsv" else ","
    dialect.delimiter = request.wish.delimiter or announced or _guess(sample, usual)
    return dialect


def find_encoding(request: Request) -> tuple[str, int]:
    """Return the encoding and how many bytes its mark takes; raises Refusal if nobody knows."""
    with request.source.open("rb") as file:
        head = file.read(_SAMPLE)
    wish = request.wish.encoding
    encoding = codec(wish) if wish else _detected(request.source, head)
    if encoding is None:
        raise Refusal(
            "encoding_unknown",
            "The text is in an encoding that could not be told. "
            "Name it in the option encoding, or save the file as UTF-8.",
        )
    if encoding == "utf-16":
        encoding += "-be" if head.startswith(codecs.BOM_UTF16_BE) else "-le"
    mark = "\ufeff".encode(encoding) if encoding.startswith("utf") or encoding == "gb18030" else b""
    return encoding, len(mark) if mark and head.startswith(mark) else 0


def _detected(source: Path, head: bytes) -> str | None:
    """Return what `detect_in` says, but take no table for UTF-16 that has a NUL in many cells.

    A table in UTF-16 has NULs from its first line on, and is not even as mere bytes alone.
    """
    found = detect_in(source)
    if found in _WIDE and b"\0" not in head:
        return _with_controls(head)
    if found in _WIDE and _is_even(head, "utf-8") and not _is_even(head, found):
        return "utf-8"
    return found or _with_controls(head)


def _is_even(head: bytes, encoding: str) -> bool:
    """Whether this is text of several rows, all of the same number of cells, two at least."""
    try:
        sample = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    lines = sample.splitlines(keepends=True)
    whole = lines if len(head) < _SAMPLE else lines[:-1]
    return len(whole) > 1 and any(_evenness(whole, one) == _MOST_EVEN for one in _CANDIDATES)


def _with_controls(head: bytes) -> str | None:
    """Take Unicode with a few control characters for text all the same: here it is a table."""
    marked = (encoding for mark, encoding in BOMS if head.startswith(mark))
    if encoding := next(marked, None):
        return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return None
    return "utf-8" if head.count(0) * 10 < len(head) else None


def _announced(sample: str) -> tuple[str | None, int]:
    """Read the line "sep=;" that Excel knows; return the delimiter and how long the line is."""
    line = sample[:7].splitlines(keepends=True)[0] if sample else ""
    text = line.rstrip("\r\n")
    if text[:4].lower() == "sep=" and len(text) == 5 and len(line) > 5:
        return text[4], len(line)
    return None, 0


def _guess(sample: str, usual: str) -> str:
    """Return the delimiter that cuts most rows into the same number of cells, two at least."""
    lines = sample.splitlines(keepends=True)
    whole = lines if len(sample) < _SAMPLE or len(lines) < 2 else lines[:-1]
    scored = [(_evenness(whole, delimiter), delimiter) for delimiter in _CANDIDATES]
    best = max(evenness for evenness, _ in scored)
    if best == 0:
        return usual
    fitting = [delimiter for evenness, delimiter in scored if evenness == best]
    return fitting[0]


def _evenness(lines: list[str], delimiter: str) -> float:
    """Return the share of rows as wide as most are, counting the first row for as much as all."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row][:_ROWS]
    except csv.Error:
        return 0
    if not rows:
        return 0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return 0
    return count / len(rows) + (len(rows[0]) == width)  # _MOST_EVEN if all are as wide
