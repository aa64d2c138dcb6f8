"""Reads CSV whose quotes make no sense, losing none: what closes no cell is part of the text."""

from collections import deque
from collections.abc import Iterable, Iterator

_QUOTE = '"'
_MOST_LINES = 30  # an open quote is closed within these, or it was none


def rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each row; `lines` come with their ends. An empty line is an empty row."""
    feed = _Feed(lines)
    while (line := feed.next()) is not None:
        yield _row(line, feed, delimiter)


class _Feed:
    """Lines, of which some may be given back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._returned: deque[str] = deque()

    def next(self) -> str | None:
        return self._returned.popleft() if self._returned else next(self._lines, None)

    def give_back(self, lines: list[str]) -> None:
        self._returned.extendleft(reversed(lines))


def _row(line: str, feed: _Feed, delimiter: str) -> list[str]:
    if not line.rstrip("\r\n"):
        return []
    cells: list[str] = []
    at = 0
    while True:
        cell, at, line = _cell(line, at, feed, delimiter)
        cells.append(cell)
        if at >= len(line) or line[at] != delimiter:
            return cells
        at += 1


def _cell(line: str, at: int, feed: _Feed, delimiter: str) -> tuple[str, int, str]:
    """Return a cell, where it ends, and the line, which is longer if the cell went on in others."""
    if line.startswith(_QUOTE, at):
        taken: list[str] = []
        text = line
        while (end := _closing(text, at + 1, delimiter)) is None and len(taken) < _MOST_LINES:
            if (more := feed.next()) is None:
                break
            taken.append(more)
            text += more
        if end is not None and end > 0:
            return text[at + 1 : end].replace(_QUOTE * 2, _QUOTE), end + 1, text
        feed.give_back(taken)
    end = _end_of_plain(line, at, delimiter)
    return line[at:end], end, line


def _closing(text: str, at: int, delimiter: str) -> int | None:
    """Return where the quote that closes the cell stands; None if further on, -1 if nowhere."""
    while (found := text.find(_QUOTE, at)) >= 0:
        after = text[found + 1 : found + 2]
        if after in ("", delimiter, "\r", "\n"):
            return found
        if after != _QUOTE:
            # One in the middle of a word: the cell is in quotes all the same if it ends with one.
            end = _end_of_plain(text, found, delimiter)
            return end - 1 if text[end - 1] == _QUOTE and end - 1 > found else -1
        at = found + 2
    return None


def _end_of_plain(line: str, at: int, delimiter: str) -> int:
    end = line.find(delimiter, at)
    if end < 0:
        end = len(line)
    for mark in "\r\n":
        found = line.find(mark, at, end)
        end = found if found >= 0 else end
    return end
