"""A multipart form, read as it comes: one file, whose bytes are passed on, and short fields."""

from collections.abc import Callable

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from app.ingest.disposition import Disposition, disposition
from app.ingest.limits import Limits
from app.ingest.parsing_time import ParsingTime
from app.ingest.refusals import BadMultipart, NoFile


class Form:
    """`feed` it what comes, then `finish`; `keep` is given the bytes of the file, uncopied.

    `filename` is None until the file begins. `fields` has the text fields that have ended;
    `is_late` says whether one of them stood after the file.
    """

    def __init__(
        self, boundary: bytes, *, limits: Limits, keep: Callable[[memoryview], None]
    ) -> None:
        self.filename: str | None = None
        self.fields: dict[str, list[str]] = {}
        self.is_late = False
        self._limits = limits
        self._keep = keep
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._part_begin,
                "on_header_field": self._add_to_header_name,
                "on_header_value": self._add_to_header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._part_data,
                "on_part_end": self._part_end,
                "on_end": self._end,
            },
        )
        self._time = ParsingTime()
        self._parts = 0
        self._ended = False
        self._padding_bytes = 0
        self._field_bytes = 0
        self._header_name = bytearray()
        self._header_value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._part = Disposition("", None)
        self._in_file = False
        self._text = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body; raise BadMultipart as soon as they are no good."""
        was_ended = self._ended
        if not was_ended:
            self._parse(data)
        if was_ended or self._parts == 0:
            self._count_padding(len(data))

    def finish(self) -> str:
        """Return the file's name; raise unless the form came to its proper end with a file."""
        if not self._ended:
            raise BadMultipart("it ends before its closing boundary")
        if self.filename is None:
            raise NoFile
        return self.filename

    def _parse(self, data: bytes) -> None:
        try:
            with self._time.spent_on(len(data)):
                self._parser.write(data)
        except FormParserError as error:
            raise BadMultipart("it is malformed") from error

    def _count_padding(self, length: int) -> None:
        self._padding_bytes += length
        if self._padding_bytes > self._limits.max_padding_bytes:
            raise BadMultipart("too much stands before its first part or after its last")

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > self._limits.max_parts:
            raise BadMultipart(f"it has more than {self._limits.max_parts} parts")
        self._headers = {}
        self._in_file = False
        self._text = bytearray()

    def _add_to_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_to_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _header_end(self) -> None:
        name = bytes(self._header_name).lower()
        if name in self._headers:
            raise BadMultipart("a part has the same header twice")
        self._headers[name] = bytes(self._header_value)
        self._header_name.clear()
        self._header_value.clear()

    def _headers_finished(self) -> None:
        self._part = disposition(self._headers)
        if self._part.filename:  # "" without bytes is a browser's file input that was left empty
            self._begin_file(self._part.filename)

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part.filename is None:
            self._add_text(data[start:end])
            return
        if not self._in_file:
            self._begin_file(self._part.filename)
        self._keep(memoryview(data)[start:end])

    def _part_end(self) -> None:
        if self._part.filename is not None:
            return
        try:
            text = self._text.decode("utf-8")
        except UnicodeDecodeError:
            raise BadMultipart("a text field is not UTF-8") from None
        self.fields.setdefault(self._part.name, []).append(text)
        self.is_late = self.filename is not None

    def _begin_file(self, filename: str) -> None:
        if self.filename is not None:
            raise BadMultipart("it has more than one file in it; send one form for each")
        self.filename = filename
        self._in_file = True

    def _add_text(self, data: bytes) -> None:
        self._field_bytes += len(data)
        if self._field_bytes > self._limits.max_field_bytes:
            most = self._limits.max_field_bytes
            raise BadMultipart(f"its text fields are longer than {most} bytes together")
        self._text += data

    def _end(self) -> None:
        self._ended = True
