"""What a document has but one of is found and changed, wherever it stands."""

import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import data_uri
from tests.worker.converters.document.reader import text_of
from tests.worker.converters.document.words import png

AWAY = {"markdown": "![{}](x.png)", "raw html": "<img src='x.png' alt='{}'>"}
PLACES = {
    "paragraph": "{}\n",
    "heading": "# {}\n",
    "emphasis": "one *two **{}***\n",
    "list": "- one\n- two\n\n  {}\n",
    "table": "| a | b |\n|---|---|\n| 1 | {} |\n",
    "quote": "> {}\n",
    "note": "one[^1]\n\n[^1]: {}\n",
    "division": "::: one\n:::: two\n{}\n::::\n:::\n",
    "division-in-list": "- ::: one\n  {}\n  :::\n",
}
LARGE = f"![large]({data_uri(png() + bytes(20_000))})\n\n"  # what is mostly this, is walked at once
mostly_text_or_pictures = pytest.mark.parametrize("first", ["", LARGE], ids=["text", "pictures"])


@mostly_text_or_pictures
@pytest.mark.parametrize("how", AWAY)
def test_a_picture_is_found_wherever_it_stands(
    converting: Converting, how: str, first: str
) -> None:
    held = [place.format(AWAY[how].format(name)) for name, place in PLACES.items()]

    result = converting(first + "\nword\n\n".join(held), "md", "docx")

    assert f"{len(PLACES)} pictures lie outside of the file" in result.notes
    said = text_of(result.content, "docx")
    assert [name for name in PLACES if name not in said] == []
    assert result.facts["pictures"] == (1 if first else 0)


@mostly_text_or_pictures
def test_a_picture_is_found_in_the_title(converting: Converting, first: str) -> None:
    title = f"---\ntitle: '{AWAY['markdown'].format('view')}'\n---\n"

    result = converting(f"{title}text\n\n{first}", "md", "docx")

    assert "1 picture lies outside of the file" in result.notes


def test_a_link_to_nothing_in_the_title_alone_is_found(converting: Converting) -> None:
    result = converting("---\ntitle: '[one](#nowhere)'\n---\ntwo\n", "md", "pdf")

    assert text_of(result.content, "pdf").startswith("one two")
    assert result.facts["notes"] == []


def test_what_is_changed_stays_between_what_is_not(converting: Converting) -> None:
    away = AWAY["markdown"].format("view")
    parts = [f"{n} {away}" if n % 5 in (1, 2, 4) else f"{n}" for n in range(40)]
    parts[10] = "::: one\n10\n:::"

    said = text_of(converting("\n\n".join(parts), "md", "docx").content, "docx")

    assert [int(word) for word in said.split() if word != "view"] == list(range(40))


@mostly_text_or_pictures
@pytest.mark.parametrize("target", ["docx", "pdf"])
def test_headings_and_tables_are_counted_and_not_their_names(
    converting: Converting, target: str, first: str
) -> None:
    names = '`Table (` and `, Header 1 (` ("Table (") Header 1 (\n\n    Table (\n'
    real = "# one {#a}\n\n> ## two\n\n- | a |\n  |---|\n  | b |\n\n<h3>three</h3>\n"

    facts = converting(f"{first}{names}\n{real}", "md", target).facts

    assert (facts["headings"], facts["tables"]) == (3, 1)


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
