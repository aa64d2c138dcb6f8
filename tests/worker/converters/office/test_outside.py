"""A document reaches nothing outside of itself, and the rest of it still converts."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pypdfium2
import pytest

from tests.site import RED, Site, served
from tests.worker.converters.cells import Said
from tests.worker.converters.office import documents, hostile
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.office.reader import text_of
from worker.outcome import Converted

pytestmark = pytest.mark.office

SECRET = "nobody may read this"


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Addresses of files that other people might have here."""
    secret = documents.odf_parts("text", f"<office:text><text:p>{SECRET}</text:p></office:text>")
    contents = {"p.png": RED, "s.odt": documents.zipped(secret), "s.txt": SECRET.encode()}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: (tmp_path / name).as_uri() for name in contents}


def test_a_picture_of_its_own_is_shown(converting: Converting) -> None:
    """Otherwise the tests below would pass with a converter that shows no picture at all."""
    result = converting(hostile.docx_with_its_own_picture(RED), "docx", "pdf")

    assert red_pixels(result) > 1000
    assert result.facts["notes"] == []


PICTURES: dict[str, Callable[[str], bytes]] = {
    "docx": hostile.docx_showing,
    "odt": hostile.odt_showing,
    "odp": hostile.odp_showing,
    "rtf": hostile.rtf_including,
}


@pytest.mark.parametrize("source", sorted(PICTURES))
def test_a_picture_elsewhere_is_not_fetched(
    converting: Converting, files: dict[str, str], site: Site, source: str
) -> None:
    for address in (files["p.png"], site.address):
        result = converting(PICTURES[source](address), source, "pdf")

        assert red_pixels(result) < 100
        assert WORDS in text_of(result.path, "pdf")
        assert "were not fetched" in " ".join(result.facts["notes"])
    assert site.asked == []


def test_the_settings_alone_keep_a_picture_out(
    tmp_path: Path, files: dict[str, str], site: Site
) -> None:
    """The second layer, without the cell: of texts and sheets; it does not cover slides or RTF."""
    shared = tmp_path / "shared"  # as /tmp is: what LibreOffice leaves must not lie there
    shared.mkdir()
    for number, address in enumerate((files["p.png"], site.address)):
        here = tmp_path / str(number)
        here.mkdir()
        (here / "input.docx").write_bytes(hostile.docx_showing(address))
        subprocess.run(
            [sys.executable, "-c", _CONVERT],
            cwd=here,
            env=_ENVIRONMENT | {"HOME": str(here), "TMPDIR": str(shared)},
            check=True,
            timeout=100,
        )

        assert list(shared.iterdir()) == []
        result = Said(Converted({"pages": 1}), here / "output.pdf", [], "")
        assert red_pixels(result) < 100
        assert WORDS in text_of(result.path, "pdf")
    assert site.asked == []


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(Path.cwd())}
_CONVERT = """
import os
from pathlib import Path
from worker.converters.limits import Limits
from worker.converters.office import convert
print(convert(Path("input.docx"), Path("output.pdf"), source_format="docx", target_format="pdf",
              options={}, limits=Limits(), progress=lambda *_: None), flush=True)
os._exit(0)
"""

TEXTS: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "fields": ("docx", hostile.docx_including),
    "section": ("odt", hostile.odt_including),
    "sheet": ("ods", hostile.ods_asking),
    "formula": ("xlsx", hostile.xlsx_asking),
    "stale formula": ("xlsx", hostile.xlsx_asking_anew),
}


@pytest.mark.parametrize("how", sorted(TEXTS))
def test_text_elsewhere_is_not_taken_in(
    converting: Converting, files: dict[str, str], site: Site, how: str
) -> None:
    source, make = TEXTS[how]
    for address in (files["s.odt"], site.address):
        written = text_of(converting(make(address), source, "pdf").path, "pdf")

        assert WORDS in written
        assert SECRET not in written
    assert site.asked == []


def with_a_part_that_is_not_listed(document: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return documents.zipped({**parts, "Thumbnails/thumbnail.png": RED})


@pytest.mark.parametrize("source", ["odt", "ods", "odp"])
def test_a_document_whose_manifest_lacks_a_part_converts(
    converting: Converting, source: str
) -> None:
    content = with_a_part_that_is_not_listed(documents.sample(source))

    assert WORDS in text_of(converting(content, source, "pdf").path, "pdf")


@pytest.mark.parametrize("make", [hostile.odt_showing, hostile.odp_showing, hostile.odt_including])
def test_the_cell_alone_keeps_out_what_such_a_document_points_to(
    converting: Converting, files: dict[str, str], site: Site, make: Callable[[str], bytes]
) -> None:
    """LibreOffice takes it for a broken one, and no longer minds its setting about links."""
    source = "odp" if make is hostile.odp_showing else "odt"
    for address in (files["p.png"], files["s.odt"], site.address):
        result = converting(with_a_part_that_is_not_listed(make(address)), source, "pdf")
        written = text_of(result.path, "pdf")

        assert red_pixels(result) < 100
        assert WORDS in written
        assert SECRET not in written
    assert site.asked == []


def test_a_macro_is_not_run(converting: Converting) -> None:
    result = converting(hostile.odt_with_macro("macro.ran"), "odt", "pdf")

    assert WORDS in text_of(result.path, "pdf")
    assert list(result.path.parent.rglob("macro.ran")) == []
    assert result.facts["notes"] == ["The document has macros; they were not run."]


def red_pixels(result: Said) -> int:
    assert result.facts["pages"] == 1
    with pypdfium2.PdfDocument(result.path) as document:
        picture = document[0].render(scale=0.5).to_pil().convert("RGB")
    colours = picture.getcolors(picture.width * picture.height) or []
    return sum(count for count, (red, green, blue) in colours if red > 200 and green + blue < 90)
