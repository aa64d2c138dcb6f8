"""Hears the elements and texts of sheets, and notes how far they reach that hold something."""

from worker.converters.columns import number_of
from worker.converters.office.extent import Extent

Attributes = dict[str, str]

_HOLDING = frozenset({"v", "is", "f"})  # what a cell holds (ECMA-376 part 1, 18.3.1.4)
_OF_THE_SHEET = frozenset({"table-row", "table-cell", "covered-table-cell", "shapes", "annotation"})


class OoxmlCells:
    """Of a sheet of an OOXML workbook, or of its shared texts."""

    def __init__(self, extent: Extent) -> None:
        self._extent = extent
        self._row = self._column = self._letters = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "row":
            self._row = int(attributes.get("r") or self._row + 1)
            self._column = 0
        elif name == "c":
            at = attributes.get("r", "")
            self._column = number_of(at.rstrip("0123456789")) if at else self._column + 1
        elif name in _HOLDING:
            self._extent.reach(self._row, self._column)
        if name in _HOLDING or name in ("c", "si"):
            self._letters = 0

    def text(self, text: str) -> None:
        self._letters += _letters(text)
        self._extent.letters = max(self._extent.letters, self._letters)


class OdfCells:
    """Of the content of an OpenDocument spreadsheet (ODF 1.3 part 3, 9.1)."""

    def __init__(self, extent: Extent) -> None:
        self._extent = extent
        self._row = self._column = self._letters = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "table":
            self._row = self._column = 0
        elif name == "table-row":
            self._row += _repeated(attributes, "number-rows-repeated")
            self._column = 0
        elif name in ("table-cell", "covered-table-cell"):
            self._column += _repeated(attributes, "number-columns-repeated")
            if "value-type" in attributes or "formula" in attributes:
                self._extent.reach(self._row, self._column)
        elif name == "p":
            self._extent.reach(self._row, self._column)
            self._letters += 1 if self._letters else 0  # a line end between two paragraphs
        elif name == "s":
            self._letters += _repeated(attributes, "c")
        if name in _OF_THE_SHEET:
            self._letters = 0

    def text(self, text: str) -> None:
        self._letters += _letters(text)
        self._extent.letters = max(self._extent.letters, self._letters)


def _letters(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _repeated(attributes: Attributes, name: str) -> int:
    return max(1, int(attributes.get(name) or 1))
