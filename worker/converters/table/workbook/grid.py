"""Reads the rows of one sheet of an xlsx workbook (ECMA-376 part 1, 18.3.1)."""

import re

from worker.converters.table.cells import Cell, Row
from worker.converters.table.workbook import serial
from worker.converters.table.workbook.markup import Attributes, Reader, broken
from worker.converters.table.workbook.numbers import count_of, number_of, unescaped

MOST_COLUMNS, MOST_ROWS = 16_384, 1_048_576

_LETTERS = re.compile(r"[A-Z]{1,3}")


class Grid(Reader):
    """The rows of a sheet, as far as they are read; whoever takes them empties the list."""

    def __init__(
        self, texts: list[str], formats: list[serial.Meaning], *, starts_1904: bool
    ) -> None:
        self.rows: list[Row] = []
        self.unknown = self.faults = 0
        self._texts, self._formats, self._starts_1904 = texts, formats, starts_1904
        self._row: list[Cell] = []
        self._count = 0
        self._column = 0
        self._kind = ""
        self._style = 0
        self._has_formula = self._is_value = self._is_aside = False
        self._parts: list[str] = []
        self._columns: dict[str, int] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        match name:  # the most frequent first: this is called for each of a million cells
            case "c":
                self._begin_cell(attributes)
            case "v" | "t":
                self._is_value = not self._is_aside
            case "row":
                self._begin_row(attributes.get("r"))
            case "f":
                self._has_formula = True
            case "rPh":
                self._is_aside = True

    def end(self, name: str) -> None:
        match name:
            case "c":
                self._end_cell()
            case "v" | "t":
                self._is_value = False
            case "row":
                self.rows.append(self._row)
                self._count += 1
            case "rPh":
                self._is_aside = False

    def text(self, data: str) -> None:
        if self._is_value:
            self._parts.append(data)

    def _begin_row(self, place: str | None) -> None:
        number = int(place) if place and place.isascii() and place.isdecimal() else 0
        if number > MOST_ROWS:
            raise broken(f"it has a row {number:,}")
        while self._count < number - 1:
            self.rows.append([])
            self._count += 1
        self._row = []
        self._column = 0

    def _begin_cell(self, attributes: Attributes) -> None:
        place = attributes.get("r")
        if place is not None:
            letters = place.rstrip("0123456789")
            found = self._columns.get(letters)
            if found is None:
                found = self._columns[letters] = _column(letters)
            self._column = found
        if self._column >= MOST_COLUMNS:
            raise broken("it has a cell beyond the last column")
        self._kind = attributes.get("t", "n")
        self._style = count_of(attributes.get("s"))
        self._has_formula = False
        self._parts = []

    def _end_cell(self) -> None:
        value = self._value("".join(self._parts)) if self._parts else self._nothing()
        if value is not None:
            gap = self._column - len(self._row)
            if gap == 0:
                self._row.append(value)
            elif gap > 0:
                self._row += [*[None] * gap, value]
            else:
                self._row[self._column] = value
        self._column += 1

    def _nothing(self) -> Cell:
        if self._has_formula and self._kind != "str":  # a formula may well result in no text
            self.unknown += 1
        return None

    def _value(self, text: str) -> Cell:
        match self._kind:
            case "s":
                return self._shared(text)
            case "b":
                return text.strip() in ("1", "true")
            case "e":
                self.faults += 1
                return text
            case "str" | "inlineStr":
                return unescaped(text)
            case "d":
                return serial.iso(text)
            case _:
                return self._measured(text.strip())

    def _shared(self, text: str) -> str:
        try:
            return self._texts[int(text)]
        except (ValueError, IndexError):
            raise broken("a cell refers to a text that is not there") from None

    def _measured(self, text: str) -> Cell:
        number = number_of(text)
        meaning = self._formats[self._style] if self._style < len(self._formats) else None
        if meaning is None or not isinstance(number, int | float):
            return number
        return serial.moment(number, meaning, starts_1904=self._starts_1904)


def _column(letters: str) -> int:
    if not _LETTERS.fullmatch(letters):
        raise broken("a cell says it stands where none can be")
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
