"""What a document has but one of is changed as it is where there are many."""

import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import text_of


@pytest.mark.parametrize(
    ("source", "content", "shown"),
    [
        ("md", "<p>in a block</p>\n", "in a block"),
        ("md", "one <b>word</b><br>two\n", "one word\ntwo"),
    ],
    ids=["raw block", "raw inline"],
)
def test_one_element_alone_is_not_overlooked(
    converting: Converting, source: str, content: str, shown: str
) -> None:
    assert converting(content.encode(), source, "txt").content.decode().strip() == shown


def test_a_citation_alone_becomes_text(converting: Converting) -> None:
    """Typst ends with an error at one whose list it lacks, and all would be set more simply."""
    made = converting(b"as [cite:@knuth] says\n", "org", "pdf")

    assert "knuth" in text_of(made.content, "pdf")
    assert made.facts["notes"] == []
