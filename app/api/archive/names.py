"""Names inside one zip, where no two files may have the same."""

import unicodedata
from collections.abc import Iterable, Iterator

from app.formats.names import LONGEST


def unique(names: Iterable[str]) -> Iterator[str]:
    """Yield clean names, numbered where one has been there: `photo.jpg`, `photo (2).jpg`.

    Names that differ in their case alone are one name, as they are on Windows and on a Mac.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for name in names:
        free = name
        while _same(free) in taken:
            numbers[_same(name)] = number = numbers.get(_same(name), 1) + 1
            free = _numbered(name, number)
        taken.add(_same(free))
        yield free


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def _numbered(name: str, number: int) -> str:
    """Put a number before the extension; a long name loses the end of its stem for it."""
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    ending = f" ({number}){dot}{extension}"
    kept = stem.encode()[: LONGEST - len(ending.encode())].decode(errors="ignore")
    return f"{kept.rstrip(' .')}{ending}"
