"""What LibreOffice is told of the pages that were chosen, and when some are missed."""

import pytest

from worker.converters.office import choice


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (None, "1-4"),
        ("2", "2-2"),
        ("7,1-2", "7-7,1-2"),
        ("1,1,1-2", "1-2"),
        ("3-,1", "3-6"),
        ("1-999999999,5", "1-4"),
        ("9,2-", "9-9,2-4"),
    ],
)
def test_it_is_told_one_page_more_than_allowed_and_each_once(pages: str | None, told: str) -> None:
    assert choice.told(pages, most=3) == told


@pytest.mark.parametrize(
    ("pages", "made", "lacks"),
    [("1-3", 3, False), ("1-3", 2, True), ("2,9", 1, True), ("2-", 1, False), ("1,5-", 1, True)],
)
def test_it_is_known_whether_a_page_was_missing(pages: str, made: int, *, lacks: bool) -> None:
    assert choice.lacks(pages, made, most=100) is lacks
