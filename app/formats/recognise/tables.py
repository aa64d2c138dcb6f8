"""Tables in text: lines that one delimiter cuts into the same number of cells."""

import csv
from collections import Counter

_ROWS = 50
_DELIMITERS = (("\t", "tsv"), (",", "csv"), (";", "csv"), ("|", "csv"))

_Row = list[str]


def table(text: str, *, whole: bool) -> str | None:
    """Return csv or tsv. Prose with commas and code with semicolons are not tables."""
    if text[:5].lower() == "sep=" + text[4:5] and text[5:6] in ("\r", "\n"):
        return "csv"
    lines = text.splitlines(keepends=True)
    if not whole:
        lines = lines[:-1]
    lines = [line for line in lines if line.strip()][: _ROWS * 4]
    for delimiter, name in _DELIMITERS:
        if any(_is_table(rows, delimiter) for rows in _readings(lines, delimiter)):
            return name
    return None


def _readings(lines: list[str], delimiter: str) -> list[list[_Row]]:
    """Read with quotes that may hold line ends, and for tabs also with quotes that mean nothing."""
    plain = [line.rstrip("\r\n").split(delimiter) for line in lines[:_ROWS]]
    try:
        quoted = list(csv.reader(lines, delimiter=delimiter))[:_ROWS]
    except csv.Error:
        quoted = []
    return [quoted, plain] if delimiter == "\t" else [quoted]


def _is_table(rows: list[_Row], delimiter: str) -> bool:
    """Whether all rows (nine in ten of a long table) are equally wide, and wide enough."""
    if len(rows) < 2:
        return False
    width, count = Counter(map(len, rows)).most_common(1)[0]
    needed = len(rows) if len(rows) < 10 else 0.9 * len(rows)
    if width < 2 or count < needed:
        return False
    even = [row for row in rows if len(row) == width]
    if width == 2 and _has_empty_column(even):
        return False
    return delimiter == "\t" or not _is_prose(even, width)


def _has_empty_column(rows: list[_Row]) -> bool:
    """Whether it is code rather: lines that end with a semicolon, or begin with a tab."""
    return not all(any(row[column].strip() for row in rows) for column in (0, -1))


def _is_prose(rows: list[_Row], width: int) -> bool:
    """Whether the cells read like parts of sentences: few, and a space after each delimiter."""
    if width == 2 and len(rows) < 3:
        return True
    after = [cell for row in rows for cell in row[1:]]
    spaced = sum(cell.startswith(" ") for cell in after)
    return width < 4 and spaced > 0.8 * len(after)
