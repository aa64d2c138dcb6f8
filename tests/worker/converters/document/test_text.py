"""Plain text stays what it says, in whatever encoding it comes."""

import codecs

import pytest

from app.failures import CATALOGUE
from app.formats.document import DOCUMENT
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import text_of
from tests.worker.converters.document.words import png

TEXTS = ("md", "html", "rst", "org", "tex", "txt")
LOOKS_MARKED = [
    "# no heading",
    "* no list",
    "**not bold** and _not italic_",
    "1. no number",
    "<b>no tag</b> &amp; <script>x</script>",
    "[no](link) ![no](picture.png)",
    "$x^2$ `no code` ~~no~~ C:\\new\\table",
    "==== #read(1) @who {x} ^up^",
    "| no | table |",
    "> no quote",
    "---",
]


@pytest.mark.parametrize("target", ["html", "docx", "odt", "epub", "pdf"])
def test_plain_text_is_taken_literally(converting: Converting, target: str) -> None:
    content = converting("\n".join(LOOKS_MARKED), "txt", target).content

    said = text_of(content, target)
    for line in LOOKS_MARKED:
        assert line in said


@pytest.mark.parametrize("target", ["md", "rst", "org", "ipynb", "rtf"])
def test_plain_text_is_taken_literally_through_other_markup(
    converting: Converting, target: str
) -> None:
    """What escapes a format needs is for that format to say: read it and it is the text again."""
    marked = converting("\n".join(LOOKS_MARKED), "txt", target).content

    said = text_of(converting(marked, target, "html").content, "html")

    for line in LOOKS_MARKED:
        assert line in said, said


def test_lines_stay_lines_and_columns_stay_columns(converting: Converting) -> None:
    text = "one\ntwo\n\nname      price\napple      1.20\n\n\n\nlast\r\nline\rend\n"

    page = converting(text, "txt", "html").content.decode()

    assert "one<br />\ntwo" in page
    assert "<pre><code>name      price\napple      1.20</code></pre>" in page
    assert "last<br />\nline<br />\nend" in page


@pytest.mark.parametrize("source", ["txt", "md", "html", "rst", "org", "tex"])
@pytest.mark.parametrize(
    ("encoding", "mark", "words"),
    [
        ("utf-8", b"", "Grüße 漢字"),
        ("utf-8", codecs.BOM_UTF8, "Grüße 漢字"),
        ("utf-16-le", codecs.BOM_UTF16_LE, "Grüße 漢字"),
        ("utf-16-be", codecs.BOM_UTF16_BE, "Grüße 漢字"),
        ("cp1252", b"", "Grüße aus Köln – für 5 €"),  # noqa: RUF001
        ("cp932", b"", "吾輩は猫である。名前はまだ無い。"),
    ],
)
def test_the_encoding_is_found_out(
    converting: Converting, source: str, encoding: str, mark: bytes, words: str
) -> None:
    target = "md" if source != "md" else "txt"
    body = f"<p>{words}</p>" if source == "html" else words

    result = converting(mark + f"{body}\n".encode(encoding), source, target)

    said = text_of(result.content, target)
    assert words in said
    assert "\ufeff" not in said
    assert result.facts.get("encoding") == (None if encoding == "utf-8" else encoding)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("html", '<meta charset="windows-1251"><p>Привет, мир</p>'),
        ("html", '<meta http-equiv=content-type content="text/html; charset=cp1251">Привет, мир'),
        ("html", '<?xml version="1.0" encoding="windows-1251"?><html><p>Привет, мир</p></html>'),
        ("tex", "\\usepackage[cp1251]{inputenc}\n\\begin{document}Привет, мир\\end{document}"),
    ],
)
def test_what_a_text_says_of_itself_counts(converting: Converting, source: str, text: str) -> None:
    result = converting(text.encode("cp1251"), source, "txt")

    assert "Привет, мир" in text_of(result.content, "txt")


def test_what_a_text_says_of_itself_does_not_count_against_its_bytes(
    converting: Converting,
) -> None:
    text = '<meta charset="windows-1251"><p>Grüße, 漢字</p>'

    assert "Grüße, 漢字" in text_of(converting(text, "html", "txt").content, "txt")


def test_an_encoding_that_cannot_be_told_is_asked_for(converting: Converting) -> None:
    text = "Привет, мир. Это русский текст.\n".encode("koi8-r")

    refused = converting(text, "txt", "html").refused
    named = converting(text, "txt", "html", encoding="KOI8-R")

    assert refused.code == "encoding_unknown"
    assert "option encoding" in str(refused.detail)
    assert "Привет, мир" in text_of(named.content, "html")


def test_a_text_in_utf_8_is_read_where_it_lies(converting: Converting) -> None:
    here = converting("Grüße\n", "md", "html").path.parent
    marked = converting(codecs.BOM_UTF8 + "Grüße\n".encode(), "md", "html").path.parent

    assert not (here / "text.md").exists()
    assert (marked / "text.md").read_bytes() == "Grüße\n".encode()


def test_a_wrong_name_is_told_by_the_first_byte_that_does_not_fit(converting: Converting) -> None:
    refused = converting(b"x" * 100 + b"\xff", "md", "html", encoding="utf-8").refused

    assert refused.code == "encoding_unknown"


@pytest.mark.parametrize("source", ["txt", "md", "html", "rst", "org", "tex", "rtf", "ipynb"])
@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 99,
        b"PK\x03\x04" + bytes(99),
        bytes(9999),
        b"text\0text, long enough to be one or the other",
    ],
)
def test_what_is_no_text_is_refused_at_once(
    converting: Converting, source: str, content: bytes
) -> None:
    """Pandoc reads anything as Markdown, and may take for ever."""
    target = "html" if source != "html" else "docx"

    refused = converting(content, source, target).refused

    assert refused.code == "corrupt_input"
    assert "not a text" in str(refused.detail)


def test_a_named_encoding_does_not_make_a_text_of_a_picture(converting: Converting) -> None:
    refused = converting(png(), "md", "html", encoding="iso-8859-1").refused

    assert refused.code == "corrupt_input"
    assert "not a text" in str(refused.detail)


@pytest.mark.parametrize("target", ["md", "txt"])
@pytest.mark.parametrize(
    ("source", "content"),
    [("rst", ".. a comment\n"), ("org", "\n \n"), ("html", "<pre> \n </pre>")],
)
def test_a_text_with_nothing_in_it_is_refused_at_once(
    converting: Converting, source: str, content: str, target: str
) -> None:
    refused = converting(content, source, target).refused

    assert refused.code == "no_text"
    assert "look whether it is the file that you meant" in CATALOGUE[refused.code].hint


def test_every_text_format_is_tried_here() -> None:
    assert set(TEXTS) < set(DOCUMENT.sources)
