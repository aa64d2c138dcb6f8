"""The values that a cell may hold, and how each is written as text and in JSON."""

import base64
import math
import re
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from json.encoder import encode_basestring as quoted
from typing import Any, Self

Cell = Any  # None, str, bool, int, float, Written, Decimal, date, …, bytes, list, dict
Row = Sequence[Cell]

_DIGITS = 1000  # Python itself refuses to read a whole number of more than 4,300
_SHORT = 15  # so many digits always survive as a number of eight bytes (IEEE 754)


class Written(float):
    """A number as it stood in the file: 1.50 stays 1.50 where the target is text."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Written, (self.text,)

    @property
    def is_exact(self) -> bool:
        """Whether the number of eight bytes is the one that was written, digit for digit."""
        if len(self.text) <= _SHORT and "e" not in self.text.lower():
            return True
        return math.isfinite(self) and Decimal(repr(float(self))) == Decimal(self.text)


def whole(text: str) -> Cell:
    """Return the whole number that JSON wrote so; -0 and endless ones keep their text."""
    return int(text) if len(text) <= _DIGITS and text != "-0" else Written(text)


def as_text(cell: Cell) -> str:
    """Return what a cell is in a format that knows nothing but text."""
    match cell:
        case str():
            return cell
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case Written():
            return cell.text
        case Decimal():
            return format(cell, "f")
        case int() | float():
            return str(cell)
        case _:
            return _worded(cell)


def _worded(cell: Cell) -> str:
    match cell:
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return clock(cell)
        case bytes():
            return base64.b64encode(cell).decode()
        case list() | dict():
            return as_json(cell)
        case _:
            return str(cell)


def as_json(cell: Cell) -> str:
    """Return a cell as JSON; what JSON has no word for (NaN) is null."""
    match cell:
        case None:
            return "null"
        case str():
            return str(quoted(cell))
        case bool() | Decimal():
            return as_text(cell)
        case float() if not math.isfinite(cell):
            return "null"
        case int() | float():
            return as_text(cell)
        case list():
            return "[" + ",".join(map(as_json, cell)) + "]"
        case dict():
            pairs = (f"{quoted(str(name))}:{as_json(value)}" for name, value in cell.items())
            return "{" + ",".join(pairs) + "}"
        case _:
            return str(quoted(as_text(cell)))


def clock(span: timedelta) -> str:
    """Return a span of time as hours, minutes and seconds: 30:00:00, never a count of days."""
    sign, span = ("-", -span) if span < timedelta() else ("", span)
    minutes, seconds = divmod(span.days * 86_400 + span.seconds, 60)
    fraction = f".{span.microseconds:06}".rstrip("0") if span.microseconds else ""
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}{fraction}"


_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_YEAR = re.compile(r"(19|20)\d\d")


def looks_like_names(row: Row) -> bool:
    """Whether a first row holds names: fewer than half of its cells are numbers or dates.

    Years are names: tables often have a column for each.
    """
    cells = [as_text(cell).strip() for cell in row if cell is not None and cell != ""]
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell)]
    return len(numbers) * 2 < len(cells) or not cells
