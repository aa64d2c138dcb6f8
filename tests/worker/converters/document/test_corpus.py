"""Real documents that others made become everything that is offered for them."""

from pathlib import Path

import pytest

from app.formats.document import DOCUMENT
from tests.long import some
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.reader import text_of

pytestmark = pytest.mark.corpus

SAYS = {
    "real-docx.docx": "Numbered bullet 2",
    "real-epub.epub": "Rabbit",
    "real-html.html": "Lorem ipsum",
    "real-md.md": "Quickstart",
    "real-odt.odt": "UOML",
    "real-org.org": "Example of Emacs Org-Mode Document",
    "real-rst.rst": "Paragraphs are just blocks",
    "real-rtf.rtf": "This is a test",
    "real-tex.tex": "WYSIWYG",
    "real-txt.txt": "Lightweight I guess",
    "pages-12.docx": "Page 12",
}


@pytest.mark.parametrize(
    ("name", "target"),
    some(
        [(name, to) for name in SAYS for to in DOCUMENT.targets_of(name.rpartition(".")[2])],
        each=4,
    ),
)
def test_a_real_document_becomes_everything(
    converting: Converting, corpus: Path, name: str, target: str
) -> None:
    result = converting(corpus / name, name.rpartition(".")[2], target)

    assert SAYS[name] in text_of(result.content, target)
    assert "could not be set" not in result.notes


def test_a_real_locked_document_says_so(converting: Converting, corpus: Path) -> None:
    refused = converting(corpus / "password.docx", "docx", "html").refused

    assert refused.code == "password_required"
