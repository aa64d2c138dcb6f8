"""Reads ods (OpenDocument 1.3 part 3, clause 9): values, dates, errors, repeated cells."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from worker.converters.refusal import Refusal
from worker.converters.table.cells import Cell, Row
from worker.converters.table.request import Request, counted
from worker.converters.table.workbook import serial
from worker.converters.table.workbook.markup import (
    Attributes,
    Reader,
    attribute,
    broken,
    parse,
)
from worker.converters.table.workbook.numbers import number_of
from worker.converters.table.workbook.package import opened
from worker.converters.table.workbook.sheet import Tab, Tell

_CONTENT = "content.xml"
_MOST_COLUMNS = 16_384
_MOST_ROWS = 1_048_576
_NUMBERS = ("float", "percentage", "currency")
_SPAN = re.compile(r"(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,9}))?S)?")


class Ods:
    """An ods file. All its sheets are in one part, one after the other."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._package = request.keep(opened(request.source))
        self._refuse_locked()
        listed = _Sheets(None)
        for _ in parse(self._package, _CONTENT, listed):
            listed.rows.clear()
        self.tabs = [
            Tab(name, str(number), is_hidden=style in listed.hidden)
            for number, (name, style) in enumerate(listed.found)
        ]

    def rows(self, tab: Tab, tell: Tell) -> Iterator[Row]:
        reader = _Sheets(int(tab.key))
        for _ in parse(self._package, _CONTENT, reader, tell):
            for row, count in reader.rows:
                for _ in range(count):
                    yield row
            reader.rows.clear()
            if reader.is_over:
                break
        if reader.faults:
            self._request.note(
                f"In {counted(reader.faults, 'cell')} an error such as #DIV/0! was kept as text."
            )

    def _refuse_locked(self) -> None:
        name = "META-INF/manifest.xml"
        if name in self._package.NameToInfo:
            with self._package.open(name) as manifest:
                if b"encryption-data" in manifest.read(1024**2):
                    raise Refusal(
                        "password_required",
                        "The workbook is locked with a password; save a copy without one and "
                        "upload that.",
                    )


class _Sheets(Reader):
    """The rows of one sheet with how often each is repeated, and the names of all."""

    has_prefixes = True

    def __init__(self, wanted: int | None) -> None:
        self.rows: list[tuple[Row, int]] = []
        self.found: list[tuple[str, str]] = []
        self.hidden: set[str] = set()
        self.faults = 0
        self.is_over = False
        self._wanted = wanted
        self._is_read = False
        self._style = ""
        self._depth = 0  # of tables: one may stand inside a cell of another
        self._row: list[Cell] = []
        self._gap = 0
        self._repeated = (1, 1)
        self._cell: Attributes | None = None
        self._parts: list[str] = []
        self._paragraphs = 0
        self._asides = 0
        self._total = 0

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "style":
                self._style = attribute(attributes, "name") or ""
            case "table-properties" if attribute(attributes, "display") == "false":
                self.hidden.add(self._style)
            case "table":
                self._begin_table(attributes)
            case "table-row" if self._depth == 1:
                self._row, self._gap = [], 0
                self._repeated = (_count(attributes, "number-rows-repeated"), 1)
            case "table-cell" | "covered-table-cell" if self._depth == 1:
                self._cell, self._parts, self._paragraphs = attributes, [], 0
                columns = _count(attributes, "number-columns-repeated")
                self._repeated = (self._repeated[0], columns)
            case "annotation":
                self._asides += 1
            case _ if self._cell is not None and not self._asides:
                self._write(name, attributes)

    def end(self, name: str) -> None:
        match name:
            case "table":
                self._depth -= 1
                if not self._depth and self._is_read:
                    self.is_over = True
            case "table-row" if self._depth == 1 and self._is_read:
                self._end_row()
            case "table-cell" | "covered-table-cell" if self._depth == 1:
                self._end_cell()
            case "annotation":
                self._asides -= 1

    def text(self, data: str) -> None:
        if self._cell is not None and self._paragraphs and not self._asides:
            self._parts.append(data)

    def _begin_table(self, attributes: Attributes) -> None:
        self._depth += 1
        if self._depth == 1:
            name, style = attribute(attributes, "name"), attribute(attributes, "style-name")
            self._is_read = self._wanted == len(self.found)
            self.found.append((name or "", style or ""))

    def _write(self, name: str, attributes: Attributes) -> None:
        """Add what is no character: the end of a line, spaces in a row, a tab (6.1)."""
        if name == "p":
            self._parts += "\n" if self._paragraphs else ""
            self._paragraphs += 1
        elif name == "line-break":
            self._parts.append("\n")
        elif name == "tab":
            self._parts.append("\t")
        elif name == "s":
            self._parts.append(" " * min(_count(attributes, "c"), 32_767))

    def _end_cell(self) -> None:
        attributes, self._cell = self._cell, None
        count = self._repeated[1]
        value = self._value(attributes) if attributes and self._is_read else None
        if value is None:
            self._gap += count
            return
        if len(self._row) + self._gap + count > _MOST_COLUMNS:
            raise broken("it has a cell beyond the last column")
        self._row += [None] * self._gap + [value] * count
        self._gap = 0

    def _end_row(self) -> None:
        count = self._repeated[0]
        if self._row:
            self._total += count
            if self._total > _MOST_ROWS:
                raise broken(f"it has more than {_MOST_ROWS:,} rows")
        self.rows.append((self._row, min(count, _MOST_ROWS)))

    def _value(self, attributes: Attributes) -> Cell:
        kind = attribute(attributes, "value-type")
        if attributes.get("calcext:value-type") == "error":
            self.faults += 1
            return "".join(self._parts)
        text = "".join(self._parts)
        if kind in _NUMBERS:
            return number_of(attribute(attributes, "value") or "")
        if kind == "date":
            return _moment(attribute(attributes, "date-value") or text)
        if kind == "time":
            return _clock(attribute(attributes, "time-value") or text)
        if kind == "boolean":
            return attribute(attributes, "boolean-value") == "true"
        if kind == "string":
            given = attribute(attributes, "string-value")
            return text if given is None else given
        return text or None


def _moment(text: str) -> Cell:
    found = serial.iso(text)
    return found if not isinstance(found, datetime) else found.replace(tzinfo=None)


def _clock(text: str) -> Cell:
    """Read a span such as PT13H05M00S; less than a day is the time of a day."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return text
    sign, *numbers, fraction = found.groups()
    days, hours, minutes, seconds = (int(number or 0) for number in numbers)
    try:
        span = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        return text
    span += timedelta(microseconds=int((fraction or "0").ljust(6, "0")[:6]))
    if sign:
        return -span
    return serial.clock_time(span) if span < timedelta(days=1) else span


def _count(attributes: Attributes, name: str) -> int:
    text = attribute(attributes, name) or "1"
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 8 else 1
