"""Tables of a form that show a database are left out of a PDF, and the rest of it is there."""

from pathlib import Path

import pytest

from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import MORE, WORDS, parts_of, zipped
from tests.worker.converters.office.locking import locked_parts
from tests.worker.converters.office.reader import text_of
from worker.converters.office import grids, libreoffice
from worker.converters.office.seen import Seen

pytestmark = pytest.mark.office

FORM = "urn:oasis:names:tc:opendocument:xmlns:form:1.0"
KIND = "ooo:com.sun.star.form.component"
BOUND = 'form:datasource="Bibliography" form:command-type="table" form:command="biblio"'
COLUMN = (
    '<form:column form:name="A" form:label="Author" form:control-implementation='
    '"ooo:com.sun.star.comp.forms.OTextFieldColumn"><form:text form:data-field="Author"/>'
    "</form:column>"
)
GRID = f'<form:grid form:name="a>b" form:id="c" xml:id="c">{COLUMN}</form:grid>'
OTHER = f'<form:text form:id="c" form:control-implementation="{KIND}.GridControl"/>'
FIELD = (
    f'<form:text form:id="f" form:control-implementation="{KIND}.TextField" '
    'form:data-field="Author"/>'
)
PLACE = 'svg:x="1cm" svg:y="5cm" svg:width="5cm" svg:height="2cm"'
BEFORE = {"odt": "<office:text>", "ods": '<table:table table:name="Geese">', "odp": 'Plain">'}
AROUND = {"odt": "text:p", "ods": "table:shapes"}


def forms(*controls: str) -> str:
    form = f'<form:form form:name="F" {BOUND}>{"".join(controls)}</form:form>'
    return f'<office:forms xmlns:form="{FORM}">{form}</office:forms>'


def with_form(source: str, *controls: str) -> dict[str, str | bytes]:
    """Return the parts of a document that shows these controls of a form besides its words."""
    parts = parts_of(source)
    anchor = ' text:anchor-type="char"' if source == "odt" else ""
    drawn = "".join(f'<draw:control{anchor} draw:control="{name}" {PLACE}/>' for name in "cf")
    if around := AROUND.get(source):
        drawn = f"<{around}>{drawn}</{around}>"
    begin = BEFORE[source]
    content = str(parts["content.xml"]).replace(begin, begin + forms(*controls) + drawn)
    return parts | {"content.xml": content}


@pytest.mark.parametrize("source", ["odt", "ods", "odp"])
def test_what_cannot_be_drawn_is_left_out_and_told(converting: Converting, source: str) -> None:
    result = converting(zipped(with_form(source, GRID, FIELD)), source, "pdf")

    written = text_of(result.path, "pdf")
    assert WORDS in written
    assert MORE in written
    assert "Author" not in written
    assert result.facts["notes"] == [grids.NOTE]


def test_a_form_without_such_a_table_is_drawn_as_it_is(converting: Converting) -> None:
    result = converting(zipped(with_form("odt", FIELD)), "odt", "pdf")

    assert WORDS in text_of(result.path, "pdf")
    assert result.facts["notes"] == []


def test_nothing_is_left_out_of_what_is_not_drawn(converting: Converting) -> None:
    result = converting(zipped(with_form("odt", GRID)), "odt", "docx")

    assert WORDS in text_of(result.path, "docx")
    assert result.facts["notes"] == []


def test_under_a_password_it_is_refused_with_a_way_out(converting: Converting) -> None:
    content = zipped(locked_parts(with_form("odt", GRID), "geese"))

    refused = converting(content, "odt", "pdf", password="geese").refused

    assert refused.code == "unsupported_content"
    assert "upload a copy without a password" in str(refused.detail)


def test_under_a_password_it_becomes_what_is_not_drawn(converting: Converting) -> None:
    content = zipped(locked_parts(with_form("ods", GRID), "geese"))

    result = converting(content, "ods", "xlsx", password="geese")

    assert WORDS in text_of(result.path, "xlsx")


def test_nothing_is_left_out_where_it_can_be_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(libreoffice, "place", lambda: tmp_path)
    assert grids.get_lost(Seen(grids=True), "pdf")
    (tmp_path / "libdbulo.so").touch()
    assert not grids.get_lost(Seen(grids=True), "pdf")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("grid", [GRID, "<form:grid form:name='a>b'/>", OTHER])
def test_what_stands_around_a_grid_stays_to_the_byte(encoding: str, grid: str) -> None:
    def part(inside: str) -> bytes:
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        return f'{head}<a xmlns:form="{FORM}">ä{inside}ö{inside}{FIELD}</a>'.encode(encoding)

    assert grids.without_grids(part(grid)) == part("")


def test_a_part_that_makes_no_sense_is_left_as_it_is() -> None:
    """It belongs to a document within the document, which LibreOffice may never open."""
    assert grids.without_grids(b"<a><grid></a>") == b"<a><grid></a>"
