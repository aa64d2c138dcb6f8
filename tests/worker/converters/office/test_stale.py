"""A formula shows what it came to, and is worked out anew where the workbook asks for that."""

import pytest

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.reader import text_of

pytestmark = pytest.mark.office

SHEET = "xl/worksheets/sheet1.xml"


def workbook(value: str, *, calculation: str = "") -> bytes:
    """Return one whose formula for 12 times 2 comes with another value."""
    parts = documents.parts_of("xlsx")
    parts[SHEET] = str(parts[SHEET]).replace("<v>24</v>", value)
    parts["xl/workbook.xml"] = str(parts["xl/workbook.xml"]).replace(
        "</sheets>", f"</sheets>{calculation}"
    )
    return documents.zipped(parts | {"docProps/app.xml": _MADE_BY_EXCEL})


_MADE_BY_EXCEL = (
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/'
    'extended-properties"><Application>Microsoft Excel</Application></Properties>'
)


@pytest.mark.parametrize("yes", ["1", "true"])
def test_what_is_to_be_worked_out_is(converting: Converting, yes: str) -> None:
    """Libraries that cannot count write 0 for every formula, and say so."""
    content = workbook("<v>0</v>", calculation=f'<calcPr fullCalcOnLoad="{yes}"/>')

    assert " 24" in text_of(converting(content, "xlsx", "pdf").path, "pdf")


def test_what_was_not_worked_out_at_all_is(converting: Converting) -> None:
    assert " 24" in text_of(converting(workbook(""), "xlsx", "pdf").path, "pdf")


@pytest.mark.parametrize("calculation", ["", '<calcPr calcId="191029" fullCalcOnLoad="0"/>'])
def test_what_the_workbook_knows_is_kept(converting: Converting, calculation: str) -> None:
    """It may be of a function that LibreOffice lacks, or of another workbook."""
    content = workbook("<v>77</v>", calculation=calculation)

    assert " 77" in text_of(converting(content, "xlsx", "pdf").path, "pdf")
