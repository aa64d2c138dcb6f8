"""Every pair that GET /formats lists really converts, and the trial says so."""

from pathlib import Path

import pytest

from app.formats.pdf import PDF
from tests import samples
from tests.worker.converters import cells
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from tests.worker.converters.reader import corners, near
from worker.outcome import Converted
from worker.spawner.client import Spawner

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]


@pytest.mark.parametrize(("source", "target"), [("pdf", "png"), ("pdf", "jpg"), ("pdf", "webp")])
def test_a_page_becomes_a_picture(converting: Converting, source: str, target: str) -> None:
    result = converting(documents.flag(), target)

    assert result.image.size == (417, 208)
    assert result.image.mode == "RGB"
    assert near(corners(result.image), FLAG)
    assert result.facts == {
        "pages": 1, "of_pages": 1, "dpi": 150, "width": 417, "height": 208, "notes": []
    }  # fmt: skip


@pytest.mark.parametrize(("source", "target"), [("pdf", "txt")])
def test_a_page_becomes_text(converting: Converting, source: str, target: str) -> None:
    result = converting(documents.document("Hello there"), target)

    assert result.text == "Hello there\n"
    assert result.facts == {"pages": 1, "of_pages": 1, "characters": 12, "notes": []}


@pytest.mark.parametrize(("source", "target"), [("pdf", "pdf")])
def test_a_document_becomes_a_document(converting: Converting, source: str, target: str) -> None:
    result = converting(documents.document("Hello", "there"), target)

    assert len(result.pdf.pages) == 2
    assert converting(result.path, "txt").text == "Hello\n\fthere\n"
    assert result.facts == {"pages": 2, "of_pages": 2, "notes": []}


@pytest.mark.parametrize("target", PDF.targets)
@pytest.mark.parametrize("content", [b"", b"\0", b"%PDF-1.7\n", samples.sample("png")])
def test_what_is_no_document_is_refused(
    converting: Converting, target: str, content: bytes
) -> None:
    refused = converting(content, target).refused

    assert refused.code == "corrupt_input"
    assert str(refused.detail).endswith(".")


@pytest.mark.parametrize("target", PDF.targets)
def test_a_document_without_pages_is_refused(converting: Converting, target: str) -> None:
    assert converting(documents.document(), target).refused.code == "corrupt_input"


def test_the_trial_says_what_works(spawner: Spawner, tmp_path: Path) -> None:
    outcome = cells.tried(spawner, PDF, tmp_path)

    assert outcome == Converted({"pairs": {"pdf": dict.fromkeys(PDF.targets)}})
    assert not list(tmp_path.iterdir())
