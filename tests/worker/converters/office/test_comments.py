"""A document with comments is read like any other, and its PDF has them as notes."""

from pathlib import Path

import pikepdf
import pytest

from app.formats.office import LOCKED, OLD
from tests.worker.converters.office import commented
from tests.worker.converters.office.commented import REMARK
from tests.worker.converters.office.conftest import FROM, Converting
from tests.worker.converters.office.documents import WORDS, zipped
from tests.worker.converters.office.locking import locked
from tests.worker.converters.office.reader import text_of
from worker.converters.office import panes

pytestmark = pytest.mark.office

COMMENTED = ["docx", "doc", "odt", "rtf", "xlsx", "xls", "ods", "pptx", "ppt", "odp"]
NOTE = "The comments of the document are notes in the PDF, which not every program shows."


@pytest.mark.parametrize("source", COMMENTED)
def test_a_commented_document_becomes_a_pdf_with_notes(converting: Converting, source: str) -> None:
    result = converting(document(converting, source), source, "pdf")

    assert WORDS in text_of(result.path, "pdf")
    assert REMARK in notes_in(result.path)
    assert result.facts["notes"] == [NOTE]


@pytest.mark.parametrize("target", ["odt", "rtf", "doc"])
def test_comments_stay_comments_among_texts(converting: Converting, target: str) -> None:
    result = converting(commented.commented("docx"), "docx", target)

    assert REMARK in text_of(result.path, target)
    assert result.facts["notes"] == []


def test_a_commented_document_may_be_locked(converting: Converting) -> None:
    """Whether it has comments, nobody knows before it is open."""
    content = locked(zipped(commented.docx() | {"word/media/n.png": bytes(range(256)) * 40}), "g")

    result = converting(content, LOCKED, "pdf", password="g")

    assert WORDS in text_of(result.path, "pdf")
    assert result.facts["notes"] == [NOTE]


def test_the_own_descriptions_of_libreoffice_are_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAND_SHARE_SUBDIR", raising=False)
    own = tmp_path / "share/config/soffice.cfg/modules/swriter/ui/annotation.ui"
    own.parent.mkdir(parents=True)
    own.touch()

    panes.describe(tmp_path / "panes", place=tmp_path / "program")

    assert not (tmp_path / "panes").exists()


def document(converting: Converting, name: str) -> bytes:
    if name not in OLD:
        return commented.commented(name)
    newer = FROM[name]
    return converting(commented.commented(newer), newer, name).content


def notes_in(path: Path) -> str:
    with pikepdf.open(path) as pdf:
        annotations = [one for page in pdf.pages for one in page.get("/Annots", [])]
        return " ".join(str(one.get("/Contents", "")) for one in annotations)
