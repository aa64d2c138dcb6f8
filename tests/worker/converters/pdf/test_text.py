"""Pages become text: complete, in reading order, and nothing in it that is not text."""

import pytest
import typst

from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from worker.converters.pdf.text import cleaned

SET = """#set page(width: 200pt, height: 220pt, margin: 20pt)
#set text(size: 9pt, lang: "en", hyphenate: true)
#set par(justify: true)
"""


def _typeset(source: str) -> bytes:
    made: bytes = typst.compile((SET + source).encode())
    return made


def test_letters_of_every_script_are_kept(converting: Converting) -> None:
    written = "Œuvre naïve, Ελληνικά, Кириллица, “quotes” … € \U0001d538 \U0001d553"

    text = converting(_typeset(written), "txt").text

    assert " ".join(text.split()) == written


def test_a_word_that_is_broken_keeps_its_hyphen(converting: Converting) -> None:
    words = "Extraordinarily complicated internationalization considerations notwithstanding"

    text = converting(_typeset(words), "txt").text

    assert "-\n" in text
    assert text.replace("-\n", "").replace("\n", " ").strip() == words
    assert "\x02" not in text


def test_columns_are_read_one_after_the_other(converting: Converting) -> None:
    text = converting(_typeset("#columns(2)[one two #colbreak() three four]"), "txt").text

    assert text.split() == ["one", "two", "three", "four"]


def test_a_table_keeps_its_rows(converting: Converting) -> None:
    text = converting(_typeset("#table(columns: 2, [one], [two], [three], [four])"), "txt").text

    assert text == "one two\nthree four\n"


def test_pages_are_divided_by_a_form_feed(converting: Converting) -> None:
    content = documents.document("one", b"", "three")

    assert converting(content, "txt").text == "one\n\f\fthree\n"


@pytest.mark.parametrize("pages", ["3,1", "3,1,3", "3-,1-2"])
def test_chosen_pages_come_in_the_asked_for_order(converting: Converting, pages: str) -> None:
    text = converting(documents.document("one", "two", "three"), "txt", pages=pages).text

    assert text.startswith("three\n\fone\n")
    assert text.count("one") == 1


@pytest.mark.parametrize("drawn", [True, False])
def test_what_was_filled_in_and_stamped_is_text_too(converting: Converting, drawn: bool) -> None:
    text = converting(documents.form(drawn=drawn), "txt").text

    assert text.split() == ["Name:", "Lovelace", "APPROVED"]


def test_what_is_hidden_is_not(converting: Converting) -> None:
    assert converting(documents.form(flags=2), "txt").text == "Name:\n"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_reads_the_same(converting: Converting, turn: int) -> None:
    content = documents.document("Hello there", page=b"/Rotate %d" % turn)

    assert converting(content, "txt").text == "Hello there\n"


def test_a_scan_is_refused_with_the_way_out(converting: Converting) -> None:
    refused = converting(documents.scan(), "txt").refused

    assert refused.code == "no_text"
    assert refused.detail == "The page has no text: it is a scan, a picture of what was printed."


def test_several_scans_are_counted(converting: Converting) -> None:
    refused = converting(documents.doubled(documents.scan()), "txt").refused

    assert str(refused.detail).startswith("The 2 pages have no text: they are scans")


def test_an_empty_page_is_not_called_a_scan(converting: Converting) -> None:
    refused = converting(documents.document(b""), "txt").refused

    assert (refused.code, refused.detail) == ("no_text", "The page has no text.")


def test_a_scan_with_recognised_text_has_text(converting: Converting) -> None:
    result = converting(documents.scan(text="Recognised"), "txt")

    assert result.text == "Recognised\n"
    assert result.notes == ""


def test_scans_among_other_pages_are_named(converting: Converting) -> None:
    content = documents.joined(documents.document("one"), documents.scan(), documents.scan())

    result = converting(content, "txt")

    assert result.text == "one\n\f\f"
    assert result.notes == "Pages 2 and 3 are scans without text, and left empty."


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd\n"),
        ("a\0b\x07c\x1bd\x7fe\x9bf\fg", "abcdefg\n"),
        ("tab\tstays", "tab\tstays\n"),
        ("end of line \t \r\nnext", "end of line\nnext\n"),
        ("in\x02formation", "in-\nformation\n"),
        ("in\ufffeformation", "in-\nformation\n"),
        ("\ufeffmark\uffff", "mark\n"),
        ("line\u2028and\u2029paragraph", "line\nand\nparagraph\n"),
        ("\r\n\r\n \r\n", ""),
        ("", ""),
        (" \t " * 100_000 + "x", " \t " * 100_000 + "x\n"),
    ],
)
def test_text_is_cleaned(given: str, expected: str) -> None:
    assert cleaned(given) == expected


def test_the_limit_of_pages_counts_what_was_chosen(converting: Converting) -> None:
    content = documents.document("one", "two", "three")

    assert converting(content, "txt", {"max_pages": 2}, pages="1,3").facts["pages"] == 2
    refused = converting(content, "txt", {"max_pages": 2}).refused
    assert refused.code == "too_many_pages"
