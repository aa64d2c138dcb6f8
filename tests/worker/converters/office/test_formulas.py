"""A formula of a text is drawn by LibreOffice's Math, and missed where that is not installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import WORDS
from tests.worker.converters.office.reader import text_of
from worker.converters.office import libreoffice

pytestmark = pytest.mark.office

_MATHS = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_MARKUP = "http://www.w3.org/1998/Math/MathML"


def docx() -> bytes:
    formula = f'<m:oMath xmlns:m="{_MATHS}"><m:r><m:t>g+o</m:t></m:r></m:oMath>'
    body = documents.paragraph(WORDS) + f"<w:p>{formula}</w:p>"
    return documents.zipped(documents.docx_parts(body))


def odt() -> bytes:
    shown = (
        '<draw:frame svg:width="2cm" svg:height="1cm"><draw:object xlink:href="./Object 1" '
        'xlink:type="simple"/></draw:frame>'
    )
    body = f"<office:text><text:p>{WORDS}</text:p><text:p>{shown}</text:p></office:text>"
    parts = documents.odf_parts("text", body)
    kind = "application/vnd.oasis.opendocument.formula"
    listed = (
        f'<manifest:file-entry manifest:full-path="Object 1/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="Object 1/content.xml" '
        'manifest:media-type="text/xml"/></manifest:manifest>'
    )
    manifest = str(parts["META-INF/manifest.xml"]).replace("</manifest:manifest>", listed)
    formula = f'<math xmlns="{_MARKUP}"><mrow><mi>g</mi><mo>+</mo><mi>o</mi></mrow></math>'
    return documents.zipped(
        parts | {"META-INF/manifest.xml": manifest, "Object 1/content.xml": formula}
    )


DOCUMENTS = {"docx": docx, "odt": odt}


@pytest.mark.parametrize("source", sorted(DOCUMENTS))
def test_the_letters_of_a_formula_are_in_the_pdf(converting: Converting, source: str) -> None:
    result = converting(DOCUMENTS[source](), source, "pdf")

    assert "g+o" in text_of(result.path, "pdf").replace(" ", "")
    assert result.facts["notes"] == []


@pytest.mark.parametrize("source", sorted(DOCUMENTS))
def test_without_math_it_is_told_what_is_missing(tmp_path: Path, source: str) -> None:
    place = without_math(tmp_path / "libreoffice")
    here = tmp_path / "here"
    here.mkdir()
    (here / f"input.{source}").write_bytes(DOCUMENTS[source]())

    said = subprocess.run(
        [sys.executable, "-c", _CONVERT, str(place), source],
        cwd=here,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path.cwd()),
            "HOME": str(here),
            "BRAND_BASE_DIR": place.parent.as_uri(),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    ).stdout

    written = text_of(here / "output.pdf", "pdf")
    assert WORDS in written
    assert "g+o" not in written.replace(" ", "")
    assert "libreoffice-math-nogui" in said


def without_math(folder: Path) -> Path:
    """Return a folder of LibreOffice's programs, as it is here, but for Math."""
    installed = libreoffice.place()
    assert installed is not None
    programs = folder / "program"
    programs.mkdir(parents=True)
    for one in installed.iterdir():
        if one.name not in ("libsmlo.so", "libsmdlo.so"):
            (programs / one.name).symlink_to(one)
    for one in installed.parent.iterdir():
        if one.name != "program":
            (folder / one.name).symlink_to(one)
    return programs


_CONVERT = """
import os, sys
from pathlib import Path
from worker.converters.limits import Limits
from worker.converters.office import convert, libreoffice
place, source = sys.argv[1:]
libreoffice._PLACES = (place,)
print(convert(Path(f"input.{source}"), Path("output.pdf"), source_format=source,
              target_format="pdf", options={}, limits=Limits(), progress=lambda *_: None),
      flush=True)
os._exit(0)
"""
