"""Reads the numbers and texts of a workbook as they are written in its markup."""

import re

from worker.converters.table.cells import Cell, Written
from worker.converters.table.workbook import serial

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def number_of(text: str) -> Cell:
    """Return the number that is written so: 1.0 is 1, and no digit of a long one is lost."""
    if text.isascii() and text.removeprefix("-").isdecimal():
        return int(text) if len(text) <= 300 else text
    try:
        number = Written(text)
    except ValueError:
        return text
    if "_" in text or not abs(number) < float("inf"):
        return text
    return _plain(number)


def _plain(number: Written) -> Cell:
    """Return a whole number as one, and another without the exponent that nobody sees."""
    if number.is_integer() and abs(number) < 1e15:
        return int(number)
    if "e" not in number.text.lower() and len(number.text) < 17:
        return number
    return Written(serial.shortest(float(number)))


def unescaped(text: str) -> str:
    """Undo _x000D_, by which characters that XML has no place for are written (22.9.2.19)."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    point = int(found[1], 16)
    return found[0] if 0xD800 <= point < 0xE000 else chr(point)


def count_of(text: str | None) -> int:
    """Return what a whole number in an attribute is; 0 for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() else 0
