"""Page numbers: what they choose, and what is said when there are no such pages or too many."""

import pytest

from app.formats.pdf import PDF
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from worker.converters.limits import Limits
from worker.converters.pdf.selection import chosen, named
from worker.converters.refusal import Refusal


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        (None, [0, 1, 2, 3, 4]),
        ("1-5", [0, 1, 2, 3, 4]),
        ("3", [2]),
        ("4-", [3, 4]),
        ("5-5", [4]),
        ("2-3,1", [1, 2, 0]),
        ("1,1-2,2-3", [0, 1, 2]),
    ],
)
def test_each_page_is_chosen_once(pages: str | None, expected: list[int]) -> None:
    assert chosen(pages, 5, Limits()) == expected


@pytest.mark.parametrize(("pages", "beyond"), [("6", 6), ("4-9", 9), ("7-", 7), ("1,5,8-9", 8)])
def test_a_page_that_is_not_there_is_refused_with_the_number_of_pages(
    pages: str, beyond: int
) -> None:
    with pytest.raises(Refusal) as caught:
        chosen(pages, 5, Limits())

    assert caught.value.code == "bad_options"
    assert caught.value.detail == (
        f"The document has 5 pages, and the option pages asks for page {beyond}. "
        "Choose from 1 to 5."
    )


@pytest.mark.parametrize(
    ("pages", "says"),
    [
        (None, "The document has 5,000,000 pages"),
        ("1-", "5,000,000 pages were chosen"),
        ("1-9999,8-10501", "At least 10,501 pages were chosen"),
    ],
)
def test_too_many_pages_are_refused_with_the_limit_and_its_name(
    pages: str | None, says: str
) -> None:
    with pytest.raises(Refusal) as caught:
        chosen(pages, 5_000_000, Limits(max_pages=10_500))

    assert caught.value.code == "too_many_pages"
    assert caught.value.detail.startswith(says)
    assert "up to 10,500 at a time (ROWMILL_MAX_PAGES)" in caught.value.detail


def test_many_ranges_of_very_many_pages_are_no_work() -> None:
    with pytest.raises(Refusal):
        chosen(",".join(["1-"] * 200), 10**9, Limits())


@pytest.mark.parametrize("target", PDF.targets)
def test_every_target_keeps_to_the_limit(converting: Converting, target: str) -> None:
    content = documents.document(*"abc")

    refused = converting(content, target, {"max_pages": 2}).refused

    assert refused.code == "too_many_pages"
    assert converting(content, target, {"max_pages": 2}, pages="2-").facts["pages"] == 2


@pytest.mark.parametrize("target", PDF.targets)
def test_every_target_refuses_a_page_that_is_not_there(converting: Converting, target: str) -> None:
    refused = converting(documents.document("a"), target, pages="2").refused

    assert refused.code == "bad_options"
    assert "The document has 1 page, " in str(refused.detail)


@pytest.mark.parametrize(
    ("indices", "words"),
    [
        ([3], "page 4"),
        ([6, 3], "pages 4 and 7"),
        ([0, 1, 2], "pages 1, 2 and 3"),
        (range(20), "pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more"),
    ],
)
def test_pages_are_named_as_people_do(indices: list[int], words: str) -> None:
    assert named(indices) == words
