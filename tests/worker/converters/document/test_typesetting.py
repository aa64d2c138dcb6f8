"""What could end the typesetter does not, and what is lost is said."""

import pytest

from tests.worker.converters.document import packages
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import data_uri
from tests.worker.converters.document.reader import pictures_in, text_of
from tests.worker.converters.document.words import png

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'
GIF = b"GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
LONG = "line\n\n" * 100  # three pages


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (png()[:50], "is damaged"),
        (SVG[:60], "is damaged"),
        (b"II*\0" + bytes(60), "is of a form (tiff)"),
        (b"\x01\0\0\0" + bytes(36) + b" EMF" + bytes(60), "is of a form"),
        (SVG.replace(b"<path", b'<image href="/etc/hostname"/><path'), "is damaged"),
        (png(30_000, 30_000, rows=b""), "has 900,000,000 pixels, more than the 100,000,000"),
        (b"GIF89a\xff\xff\xff\xff" + GIF[10:], "has 4,294,836,225 pixels"),
        (b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff" + bytes(60), "has 4,294,836,225 pixels"),
        (
            b"RIFF\x60\0\0\0WEBPVP8L\x20\0\0\0\x2f\xff\xff\xff\x0f" + bytes(60),
            "has 268,435,456 pix",
        ),
    ],
)
def test_a_picture_that_cannot_be_shown_costs_itself_and_no_more(
    converting: Converting, content: bytes, why: str
) -> None:
    text = f"before ![x]({data_uri(content)}) between ![y]({data_uri()}) after\n"

    result = converting(text, "md", "pdf")

    assert why in result.notes, result.notes
    assert "crossed box" in result.notes
    assert text_of(result.content, "pdf").count("e") >= 4
    assert pictures_in(result.content, "pdf") == 1


@pytest.mark.parametrize("content", [png(), SVG, GIF])
def test_a_picture_is_known_by_its_content(converting: Converting, content: bytes) -> None:
    """Documents call a JPEG .png often enough; typst alone would believe the name."""
    result = converting(packages.docx({"word/media/image1.png": content}), "docx", "pdf")

    assert result.facts["pictures"] == 1
    assert "picture" not in result.notes


@pytest.mark.parametrize(
    "text",
    [
        "[gone](#nowhere) here\n",
        f"[to a picture](#p) ![x]({data_uri()}){{#p}} here\n",
        "# same\n\n# same {#same}\n\n[two](#same) here\n",
        "[chinese](#%E6%BC%A2) here\n\n# 漢\n",
        "# a b {#x:y}\n\n[odd](#x:y) here\n",
        "[@who] and @what here\n",
        "$\\unknown{x}$ here\n",
        "[x](<>) here\n",
    ],
)
def test_links_to_nothing_and_odd_formulas_do_not_end_it(converting: Converting, text: str) -> None:
    result = converting(text, "md", "pdf")

    assert "here" in text_of(result.content, "pdf")
    assert "could not be set" not in result.notes


def test_what_cannot_be_set_is_set_more_simply_and_said(converting: Converting) -> None:
    text = "[to code](#c) and $x^2$\n\n``` {#c}\ncode\n```\n"  # typst knows no labels of code

    result = converting(text, "md", "pdf")

    said = text_of(result.content, "pdf")
    assert "to code and x^2" in said
    assert result.notes.startswith("Formulas stand as text")


def test_too_many_pages_are_refused_with_the_number(converting: Converting) -> None:
    refused = converting(LONG, "md", "pdf", limits={"max_pages": 2}).refused

    assert refused.code == "too_many_pages"
    assert "has 3 pages, more than the 2" in str(refused.detail)
    assert "ROWMILL_MAX_PAGES" in str(refused.detail)


def test_as_many_pages_as_allowed_are_set_and_counted(converting: Converting) -> None:
    assert converting(LONG, "md", "pdf", limits={"max_pages": 3}).facts["pages"] == 3
