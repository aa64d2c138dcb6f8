"""Options do what they say, and nothing happens that nobody asked for."""

import io
import zipfile

import pypdfium2
import pytest

from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import text_of


@pytest.mark.parametrize(
    ("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792)), ("a5", (420, 595))]
)
def test_the_paper_is_the_chosen_one(
    converting: Converting, paper: str, size: tuple[int, int]
) -> None:
    page = pypdfium2.PdfDocument(converting("text\n", "md", "pdf", paper=paper).content)[0]

    assert (round(page.get_width()), round(page.get_height())) == size


def test_margin_and_font_size_are_the_chosen_ones(converting: Converting) -> None:
    page = pypdfium2.PdfDocument(
        converting("text\n", "md", "pdf", margin=50, font_size=20).content
    )[0]
    left, _, _, top = page.get_textpage().get_charbox(0)
    usual = pypdfium2.PdfDocument(converting("text\n", "md", "pdf").content)[0]

    assert left == pytest.approx(50 / 25.4 * 72, abs=2)
    assert top == pytest.approx(842 - 50 / 25.4 * 72, abs=25)
    assert [round(max(_font_sizes(one))) for one in (usual, page)] == [11, 20]


@pytest.mark.parametrize(
    ("target", "contents", "numbered"),
    [
        ("html", 'role="doc-toc"', 'section-number">1</span>'),
        ("pdf", "Contents", "1 Chapter"),
        ("docx", "TOC", "SectionNumber"),
        ("tex", "\\tableofcontents", "{secnumdepth}{5}"),
    ],
)
def test_contents_and_numbers_come_when_asked_for(
    converting: Converting, target: str, contents: str, numbered: str
) -> None:
    text = "# Chapter\n\ntext\n\n## Part\n\ntext\n"

    plain = _said(converting(text, "md", target).content, target)
    asked = _said(converting(text, "md", target, toc=True, number_sections=True).content, target)

    assert contents not in plain
    assert contents in asked
    assert numbered not in plain
    assert numbered in asked


def test_lines_are_broken_only_when_asked_for(converting: Converting) -> None:
    text = "word " * 60

    plain = converting(text, "txt", "md").content.decode().splitlines()
    broken = converting(text, "txt", "md", wrap=40).content.decode().splitlines()

    assert len(plain) == 1
    assert max(map(len, broken)) <= 40


def test_a_title_stands_somewhere_in_every_format(converting: Converting) -> None:
    text = "---\ntitle: The Title\nsubtitle: The Subtitle\n---\ntext\n"

    for target in (
        "html",
        "docx",
        "odt",
        "epub",
        "rst",
        "org",
        "tex",
        "ipynb",
        "rtf",
        "txt",
        "pdf",
    ):
        said = text_of(converting(text, "md", target).content, target)
        assert "The Title" in said, target
        assert "The Subtitle" in said, target


@pytest.mark.parametrize("target", ["html", "epub"])
def test_without_a_title_the_first_heading_is_it(converting: Converting, target: str) -> None:
    content = converting("text\n\n# First *things*\n", "md", target).content

    assert "<title>First things</title>" in _said(content, target)


@pytest.mark.parametrize("value", ["rtl", "ltr", "auto"])
def test_the_direction_of_writing_is_kept(converting: Converting, value: str) -> None:
    text = f"---\nlang: he\ndir: {value}\n---\nזה\n"

    assert f'dir="{value}"' in converting(text, "md", "html").content.decode()
    assert ("w:bidi" in _said(converting(text, "md", "docx").content, "docx")) == (value == "rtl")
    assert "זה" in text_of(converting(text, "md", "pdf").content, "pdf")


def test_what_is_no_direction_of_writing_is_left_out(converting: Converting) -> None:
    page = converting("---\ndir: 'up\" onload=\"x'\n---\ntext\n", "md", "html").content.decode()

    assert "dir=" not in page


def _said(content: bytes, target: str) -> str:
    if target == "pdf":
        return text_of(content, target)
    if not content.startswith(b"PK"):
        return content.decode()
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [n for n in packed.namelist() if n.endswith((".xhtml", "document.xml"))]
        return "".join(packed.read(name).decode() for name in names)


def _font_sizes(page: pypdfium2.PdfPage) -> list[float]:
    kind = pypdfium2.raw.FPDF_PAGEOBJ_TEXT
    return [one.get_font_size() for one in page.get_objects(filter=[kind])]
