"""Reads the values of a JSON file one by one: the elements of an array, or one after the other."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from worker.converters.refusal import Refusal
from worker.converters.table.cells import Written, whole

_CHUNK = 256 * 1024
_SPACE = re.compile(r"[ \t\r\n\x1e]*")  # RFC 7464 puts a record separator before each
_NUMBER_END = 16
_MOST_DOUBLED = 100
_OPEN_TEXT = "Unterminated string"  # how Python's reader says it


class Values:
    """The values in a file, each with the text that it was written as.

    `is_array` tells whether they are the elements of one array. `has_constants` is True once NaN
    or Infinity was read, which other programs write and JSON does not know. `doubled` has the names
    that stood more than once in an object: of their values it keeps the last.
    """

    def __init__(self, source: Path, *, encoding: str, start: int, in_lines: bool) -> None:
        self._source = source
        self._encoding = encoding
        self._start = start
        self._in_lines = in_lines
        self.is_array = False
        self.has_constants = False
        self.doubled: dict[str, None] = {}
        self._decoder = json.JSONDecoder(
            parse_float=Written,
            parse_int=whole,
            parse_constant=self._constant,
            object_pairs_hook=self._object,
        )

    def read(self, tell: Callable[[int], None]) -> Iterator[tuple[Any, str]]:
        """Yield each value and its text; `tell` hears now and then how many bytes are read."""
        with self._source.open("rb") as file:
            file.seek(self._start)
            text = _Text(file, self._encoding, tell)
            text.skip_space()
            self.is_array = self._begins_an_array(text)
            if self.is_array:
                text.at += 1
            yield from self._values(text)

    def _begins_an_array(self, text: "_Text") -> bool:
        """In lines, an array is one row, unless it can only be the list of all of them."""
        if text.next != "[":
            return False
        after = _SPACE.match(text.buffer, text.at + 1)
        return not self._in_lines or bool(after and text.buffer.startswith("{", after.end()))

    def _values(self, text: "_Text") -> Iterator[tuple[Any, str]]:
        count = 0
        while not self._ends(text, is_first=count == 0):
            value, end = self._next(text, count)
            yield value, text.buffer[text.at : end]
            text.at = end
            count += 1

    def _ends(self, text: "_Text", *, is_first: bool) -> bool:
        """Whether there is no further value; what stands between two of them is skipped."""
        text.skip_space()
        if not self.is_array:
            return not text.next
        if not is_first and text.next == ",":
            text.at += 1
            text.skip_space()
        elif not is_first and text.next and text.next != "]":
            raise _broken("a comma is missing between two values")
        if text.next != "]":
            if not text.next:
                raise _broken("the list is not closed")
            return False
        text.at += 1
        text.skip_space()
        if text.next:
            raise _broken("something stands behind the end of the list")
        return True

    def _next(self, text: "_Text", count: int) -> tuple[Any, int]:
        while True:
            try:
                value, end = self._decoder.raw_decode(text.buffer, text.at)
            except json.JSONDecodeError as error:
                if not _may_go_on(error, text) or not text.grow():
                    is_open = error.msg.startswith(_OPEN_TEXT)
                    how = "has a text that is not closed" if is_open else "cannot be read"
                    raise _broken(f"value {count + 1:,} {how}") from error
            except RecursionError as error:
                raise Refusal(
                    "unsupported_content", f"Value {count + 1:,} of the file is nested too deeply."
                ) from error
            else:
                # A number at the edge of what was read may go on behind it.
                if end < len(text.buffer) or isinstance(value, (str, list, dict)):
                    return value, end
                if not text.grow():
                    return value, end

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) and len(self.doubled) < _MOST_DOUBLED:
            counts = Counter(name for name, _ in pairs)
            self.doubled.update((name, None) for name, count in counts.items() if count > 1)
        return made

    def _constant(self, name: str) -> float:
        self.has_constants = True
        return float(name)


class _Text:
    """The part of a text from where the reader is, as far as it was read."""

    def __init__(self, file: BinaryIO, encoding: str, tell: Callable[[int], None]) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder(encoding)().decode
        self._tell = tell
        self._is_over = False
        self.buffer = ""
        self.at = 0
        self.grow()

    def grow(self) -> bool:
        """Read on, as much as there is already; False at the end."""
        if self._is_over:
            return False
        data = self._file.read(max(_CHUNK, len(self.buffer) - self.at))
        self._is_over = not data
        try:
            more = self._decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise Refusal(
                "encoding_unknown",
                f"The text is not {error.encoding} throughout; the fault lies before byte "
                f"{self._file.tell():,}. Name its encoding in the option encoding.",
            ) from error
        self.buffer = self.buffer[self.at :] + more
        self.at = 0
        self._tell(self._file.tell())
        return True

    def skip_space(self) -> None:
        while (found := _SPACE.match(self.buffer, self.at)) is not None:
            self.at = found.end()
            if self.next or not self.grow():
                return

    @property
    def next(self) -> str:
        """The next character; nothing at the end of what was read."""
        return self.buffer[self.at : self.at + 1]


def _may_go_on(error: json.JSONDecodeError, text: _Text) -> bool:
    """Whether the fault may be that only a part of the value was read so far."""
    return error.msg.startswith(_OPEN_TEXT) or error.pos + _NUMBER_END > len(text.buffer)


def _broken(how: str) -> Refusal:
    return Refusal("corrupt_input", f"The JSON is damaged or incomplete: {how}.")
