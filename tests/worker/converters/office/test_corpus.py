"""Real documents of other programs convert to everything that is offered for them."""

from pathlib import Path

import pytest

from app.formats.office import OFFICE
from tests.long import some
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.reader import text_of

pytestmark = [pytest.mark.office, pytest.mark.corpus]

REAL = [name for name in OFFICE.sources if name not in {"doc", "ppt", "encrypted-office"}]
SAYS = {
    "docx": "Subtitle",
    "odt": "//Get the error code after using UOML instruction.",
    "rtf": "This is a test",
    "xlsx": "Eloquently written curatorial description",
    "xls": "Bagpipes are awesome.",
    "ods": "Sales_Rep_Name",
    "pptx": "FREE TEST DATA",
    "odp": "the inserted text in blue and underlined with a wavy line",
}
PAGES = {"docx": 1, "odt": 13, "rtf": 1, "xlsx": 4, "xls": 5, "ods": 8, "pptx": 15, "odp": 48}


@pytest.mark.parametrize(
    ("source", "target"),
    some([(source, to) for source in REAL for to in OFFICE.targets_of(source)], each=3),
)
def test_a_real_document_converts(
    converting: Converting, corpus: Path, source: str, target: str
) -> None:
    result = converting(corpus / f"real-{source}.{source}", source, target)

    assert _unspaced(SAYS[source]) in _unspaced(text_of(result.path, target))
    if target == "pdf":  # other fonts break lines and pages elsewhere
        assert result.facts["pages"] == pytest.approx(PAGES[source], rel=0.25, abs=1)


def test_twelve_pages_are_twelve(converting: Converting, corpus: Path) -> None:
    assert converting(corpus / "pages-12.docx", "docx", "pdf").facts["pages"] == 12


def test_a_real_password_is_asked_for_and_opens(converting: Converting, corpus: Path) -> None:
    content = corpus / "password.docx"

    assert converting(content, "encrypted-office", "pdf").refused.code == "password_required"
    assert converting(content, "encrypted-office", "pdf", password="foo").facts["pages"] == 1


def _unspaced(text: str) -> str:
    """Return it without what breaks its lines, which other fonts do elsewhere."""
    return "".join(text.split())
