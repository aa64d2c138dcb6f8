"""What a result lacks of its document, and what of the options came to nothing, is told."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.formats.document import DOCUMENT
from tests.worker.converters.document import packages
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.document.reader import text_of
from tests.worker.converters.document.richtext import rich
from worker.converters.document.changes import counted

TEXT = "# Chapter\n\n" + "word " * 40 + "\n\n## Part\n\ntext\n"
PAGE = f"<h1>Chapter</h1><p>{'word ' * 40}</p><h2>Part</h2><p>text</p>"
GIVEN: dict[str, Any] = {
    "toc": True,
    "number_sections": True,
    "paper": "a5",
    "margin": 50,
    "font_size": 20,
    "wrap": 30,
}

INSERTED = '<w:ins w:id="1" w:author="A"><w:r><w:t>new</w:t></w:r></w:ins>'
DELETED = '<w:del w:id="2" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del>'
END_OF_PARAGRAPH = '<w:pPr><w:rPr><w:ins w:id="3" w:author="A"/></w:rPr></w:pPr>'
COMMENT = '<w:comment w:id="4" w:author="A"><w:p><w:r><w:t>remark</w:t></w:r></w:p></w:comment>'
REGION = """<text:changed-region text:id="c1"><text:deletion><office:change-info/><text:p>gone
</text:p></text:deletion></text:changed-region><text:changed-region text:id="c2"><text:insertion>
<office:change-info/></text:insertion></text:changed-region>"""
ANNOTATION = "<office:annotation><text:p>remark</text:p></office:annotation>"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PAGE_NUMBER = r"{\field{\*\fldinst PAGE}{\fldrslt 1}}"
LEFT_OUT = "What stands in its headers and footers is not in the result."


def _docx(changes: str, comments: str = "") -> bytes:
    name = "word/document.xml"
    text = _part(SAMPLES["docx"], name).replace("<w:tbl>", f"<w:p>{changes}</w:p><w:tbl>")
    return packages.docx({name: text, "word/comments.xml": _comments(comments)})


def _comments(inside: str) -> str:
    return f'<w:comments xmlns:w="{WORD}">{inside}</w:comments>'


def _odt(regions: str, remark: str = "") -> bytes:
    text = _part(SAMPLES["odt"], "content.xml")
    tracked = f"<office:text><text:tracked-changes>{regions}</text:tracked-changes>"
    text = text.replace("<office:text>", tracked).replace("then bold", f"then {remark}bold")
    return packages.odt({"content.xml": text})


def _docx_with(footer: str) -> bytes:
    part = f'<w:ftr xmlns:w="{WORD}"><w:p><w:r>{footer}</w:r></w:p></w:ftr>'
    return packages.docx({"word/footer1.xml": part})


def _odt_with(margin: str, after: str = "") -> bytes:
    page = f'<style:master-page style:name="Standard">{margin}</style:master-page>{after}'
    styles = _part(SAMPLES["odt"], "styles.xml")
    styles = styles.replace(
        "<office:master-styles/>", f"<office:master-styles>{page}</office:master-styles>"
    )
    return packages.odt({"styles.xml": styles})


def _part(content: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.read(name).decode()


NOT_THERE = "The document has {}: what was inserted is in the result, what was deleted {}."


@pytest.mark.parametrize(
    ("source", "content", "notes"),
    [
        (
            "docx",
            _docx(INSERTED + DELETED, COMMENT),
            [
                NOT_THERE.format("2 tracked changes", "is not"),
                "The document has a comment, which is not in the result.",
            ],
        ),
        ("docx", _docx(INSERTED), [NOT_THERE.format("a tracked change", "is not")]),
        (
            "docx",
            _docx("", COMMENT * 1200),
            ["The document has 1,200 comments, which are not in the result."],
        ),
        ("docx", _docx(END_OF_PARAGRAPH), []),
        (
            "odt",
            _odt(REGION, ANNOTATION),
            [
                NOT_THERE.format("2 tracked changes", "is not"),
                "The document has a comment, which is not in the result.",
            ],
        ),
        ("odt", _odt(""), []),
        (
            "rtf",
            rich(r"a{\*\annotation remark}{\revised new}{\deleted gone}{\deleted0 b}"),
            [
                NOT_THERE.format("2 tracked changes", "is struck out"),
                "The document has a comment, which is not in the result.",
            ],
        ),
    ],
)
def test_changes_and_comments_are_counted(
    converting: Converting, source: str, content: bytes, notes: list[str]
) -> None:
    result = converting(content, source, "txt")

    said = text_of(result.content, "txt")
    assert result.facts["notes"] == notes
    assert "remark" not in said
    assert ("new" in said) == any("tracked" in note and source != "odt" for note in notes)
    assert "gone" not in said or source == "rtf"


@pytest.mark.parametrize(
    ("source", "content", "told"),
    [
        ("docx", _docx_with("<w:t>Mill Lane 4</w:t>"), True),
        ("docx", _docx_with("<w:instrText> PAGE </w:instrText><w:t>1</w:t>"), False),
        ("docx", SAMPLES["docx"], False),
        ("odt", _odt_with("<style:header-first><text:p>Mühle</text:p></style:header-first>"), True),
        ("odt", _odt_with("<style:header><text:p>1</text:p></style:header>", "<a>no</a>"), False),
        ("odt", _odt_with("<style:header/>", "<a>no</a>"), False),
        ("rtf", rich(r"{\footerl " + PAGE_NUMBER + r" Mill Lane 4}a"), True),
        ("rtf", rich(r"{\header " + PAGE_NUMBER + "}a"), False),
    ],
)
def test_words_in_the_margins_of_pages_are_told_to_be_left_out(
    converting: Converting, source: str, content: bytes, *, told: bool
) -> None:
    result = converting(content, source, "txt")

    assert (LEFT_OUT in result.facts.get("notes", [])) is told
    assert "Mill" not in text_of(result.content, "txt")


def test_a_tag_that_is_read_in_two_pieces_is_counted_once(tmp_path: Path) -> None:
    document = tmp_path / "input.docx"
    document.write_bytes(_docx(INSERTED * 9000))

    assert counted(document, "docx") == (9000, 0)


def test_what_is_told_of_a_document_is_told_when_it_is_set_more_simply(
    converting: Converting,
) -> None:
    text = "[to code](#c)\n\n``` {#c}\ncode\n```\n"  # typst knows no labels of code

    notes = converting(text, "md", "pdf", wrap=30).facts["notes"]

    assert notes[0].startswith("Formulas stand as text")
    assert "wrap has no meaning for pdf (PDF document) and was not used." in notes


@pytest.mark.parametrize("target", [*DOCUMENT.targets])
def test_an_option_changes_the_result_or_the_notes(converting: Converting, target: str) -> None:
    source = "html" if target == "md" else "md"
    text = PAGE if source == "html" else TEXT

    def made(**options: Any) -> bytes | str | list[bytes]:
        return _without_names(converting(text, source, target, **options).content, target)

    notes = converting(text, source, target, **GIVEN).facts["notes"]
    unused = [name for name in GIVEN if any(one.startswith(f"{name} has no ") for one in notes)]
    plain = made()

    assert len(notes) == len(unused)
    assert made(**{name: GIVEN[name] for name in unused}) == plain
    for name in {"toc", "number_sections"} - {*unused}:
        assert made(**{name: True}) != plain, name


def test_an_encoding_of_what_is_no_text_is_told(converting: Converting) -> None:
    notes = converting(SAMPLES["docx"], "docx", "txt", encoding="koi8-r").notes

    assert notes == "encoding has no meaning for docx (Word document) and was not used."


def _without_names(content: bytes, target: str) -> bytes | str | list[bytes]:
    """Return what there is besides dates and random names."""
    if target == "pdf":
        return text_of(content, target)
    if not content.startswith(b"PK"):
        return re.sub(rb'"id": "[^"]*"', b"", content)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = [packed.read(name) for name in sorted(packed.namelist())]
    return [re.sub(rb"urn:uuid:[\w-]+|\d{4}-\d\d-\d\dT[\d:]+Z", b"", part) for part in parts]
