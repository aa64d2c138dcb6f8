"""Which pages LibreOffice is asked for, and whether the document had all of them."""

from collections.abc import Iterable
from itertools import count, groupby

from app.formats.pdf import ranges


def told(pages: str | None, *, most: int) -> str:
    """Return the range for its filter: each page once, in their order, one more than allowed.

    It would write a page as often as it is named, and thousands before anybody could count them.
    """
    if pages is None:
        return f"1-{most + 1}"
    return ",".join(_runs(_numbers(pages, most)))


def lacks(pages: str, made: int, *, most: int) -> bool:
    """Whether one of these pages was not there, if the PDF has `made` pages."""
    last = max(last or first for first, last in ranges(pages))
    return made < sum(number <= last for number in _numbers(pages, most))


def _numbers(pages: str, most: int) -> list[int]:
    numbers: dict[int, None] = {}
    for first, last in ranges(pages):
        for number in count(first) if last is None else range(first, last + 1):
            numbers[number] = None
            if len(numbers) > most:
                return list(numbers)
    return list(numbers)


def _runs(numbers: Iterable[int]) -> Iterable[str]:
    for _, run in groupby(enumerate(numbers), lambda placed: placed[1] - placed[0]):
        following = [number for _, number in run]
        yield f"{following[0]}-{following[-1]}"
