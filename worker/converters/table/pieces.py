"""Cuts a text that lies in a file into pieces of whole rows, each of a bounded size."""

import os
from collections.abc import Iterator

PIECE_BYTES = 4 * 1024**2

_WINDOW = 64 * 1024
_QUOTE, _LINE_END = b'"', b"\n"


class Endless(Exception):
    """A row goes on for longer than a piece: there is no line end, or a quote is not closed."""


def pieces(descriptor: int, *, start: int, size: int, most: int) -> Iterator[tuple[bytes, int]]:
    """Yield the text from `start` to `size`, and where each piece ends; raise Endless.

    A piece ends with a line end, and where as many quotes were closed as opened; the last one may
    end with the text.
    """
    while start < size:
        end = _line_end(descriptor, start + most, size, most)
        parts = [os.pread(descriptor, end - start, start)]
        quotes = parts[0].count(_QUOTE)
        while end < size and quotes % 2:  # one stray quote: each further line is read once
            if end - start > 2 * most + _WINDOW:
                raise Endless
            further = _line_end(descriptor, end, size, most)
            parts.append(os.pread(descriptor, further - end, end))
            quotes += parts[-1].count(_QUOTE)
            end = further
        yield b"".join(parts), end
        start = end


def _line_end(descriptor: int, at: int, size: int, most: int) -> int:
    """Return where the line ends in which `at` lies, behind its line end."""
    for begin in range(at, at + most, _WINDOW):
        window = os.pread(descriptor, _WINDOW, begin)
        if (found := window.find(_LINE_END)) >= 0:
            return begin + found + 1
        if begin + len(window) >= size:
            return size
    raise Endless
