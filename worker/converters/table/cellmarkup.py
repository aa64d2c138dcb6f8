"""Writes the cells of a sheet of an xlsx workbook."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from worker.converters.columns import name_of
from worker.converters.refusal import Refusal
from worker.converters.table.cells import Cell, Row, Written, as_text
from worker.converters.table.request import Request

LONGEST_TEXT = 32_767  # in units of UTF-16, as Excel counts

_DIGITS, _FLOAT_DIGITS = 15, 17  # what Excel keeps of a number
_LARGEST = 1e308
_DAY = timedelta(days=1)
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - Excel knows no zones
_FIRST, _LAST = date(1900, 3, 1), date(9999, 12, 31)  # before that day Excel counts otherwise
_LONGEST_SPAN = timedelta(days=2_958_465)

# What XML has no place for, or would change, is written as _x000D_ (22.9.2.19); so is a text
# that looks like that already.
_SPECIAL = re.compile(r"[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


class CellWriter:
    """Writes rows as markup. What a number of Excel cannot hold is written as text, and noted."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._letters: list[str] = []

    def rows(self, block: Sequence[Row], first: int, names: Sequence[str]) -> bytes:
        """Return the markup of these rows, the first of which has this number."""
        self._letters += map(name_of, range(len(self._letters) + 1, len(names) + 1))
        made: list[str] = []
        for number, row in enumerate(block, start=first):
            made.append(f'<row r="{number}">')
            for letters, cell in zip(self._letters, row, strict=False):
                if cell is None or cell == "":
                    continue
                if type(cell) is str:
                    text = self._text(cell, number, letters)
                    made.append(
                        f'<c r="{letters}{number}" t="inlineStr"><is>'
                        f'<t xml:space="preserve">{text}</t></is></c>'
                    )
                else:
                    made.append(self._typed(cell, number, letters))
            made.append("</row>")
        return "".join(made).encode()

    def _typed(self, cell: Cell, number: int, letters: str) -> str:
        place = f'<c r="{letters}{number}"'
        if isinstance(cell, bool):
            return f'{place} t="b"><v>{cell:d}</v></c>'
        if (value := self._value(cell)) is not None:
            return f'{place} s="{_style(cell)}"><v>{value}</v></c>'
        text = self._text(as_text(cell), number, letters)
        return f'{place} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

    def _value(self, cell: Cell) -> str | None:
        """Return the number that stands for a value, or None if none does."""
        match cell:
            case int() | float() | Decimal():
                return self._number(cell)
            case datetime():
                return _days(cell - _EPOCH) if _FIRST <= cell.date() <= _LAST else None
            case date():
                return str((cell - _EPOCH.date()).days) if _FIRST <= cell <= _LAST else None
            case time():
                return _days(datetime.combine(_EPOCH, cell) - _EPOCH)
            case timedelta():
                return _days(cell) if timedelta() <= cell <= _LONGEST_SPAN else None
            case _:
                return None

    def _number(self, cell: float | Decimal) -> str | None:
        text = cell.text if isinstance(cell, Written) else str(cell)
        if "n" in text.lower():  # nan, inf
            return None
        digits = text.lower().partition("e")[0].replace(".", "").strip("-0")
        # A number of eight bytes has up to 17 digits to be told from its neighbours.
        most = _FLOAT_DIGITS if isinstance(cell, float) else _DIGITS
        if len(digits) <= most and abs(float(text)) < _LARGEST:
            return text
        self._request.note(
            f"Numbers with more digits than the {_DIGITS} that Excel keeps are written as text."
        )
        return None

    def _text(self, cell: str, number: int, letters: str) -> str:
        if len(cell) * 2 > LONGEST_TEXT:
            self._check(cell, number, letters)
        return _SPECIAL.sub(_escaped, cell) if _SPECIAL.search(cell) else cell

    def _check(self, cell: str, number: int, letters: str) -> None:
        length = len(cell.encode("utf-16-le", "surrogatepass")) // 2
        if length > LONGEST_TEXT:
            raise Refusal(
                "cell_too_long",
                f"The cell {letters}{number} has {length:,} characters; a cell of an Excel "
                f"workbook holds {LONGEST_TEXT:,}. Choose csv, parquet or another target format.",
            )


def _style(cell: Cell) -> int:
    """Return which of the workbook's styles shows the value (see spreadsheet)."""
    match cell:
        case datetime():
            return 2
        case date():
            return 1
        case time():
            return 3
        case timedelta():
            return 4
        case _:
            return 0


def _days(span: timedelta) -> str:
    return repr(span / _DAY)


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    return _ENTITIES.get(letter) or f"_x{ord(letter):04X}_"
