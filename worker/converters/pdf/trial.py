"""What this installation can really do, found out by converting a tiny document."""

from pathlib import Path
from typing import Any

from app.formats.pdf import PDF
from worker.converters.pdf.conversion import convert
from worker.converters.trying import reason_against
from worker.outcome import Converted

# Two pages, so that the zip is tried too; the gaps in its table are what qpdf is there for.
_DOCUMENT = b"""%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 90 30]/Contents 4 0 R
/Resources<</Font<</F 5 0 R>>>>>> endobj
4 0 obj <</Length 39>> stream
BT /F 20 Tf 5 8 Td (Rowmill) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
6 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>> endobj
trailer <</Root 1 0 R>>
"""


def trial(_source: Path, target: Path, **_contract: Any) -> Converted:
    """Run in a cell like any conversion; tell of each pair None, or why it cannot be done.

    Called as `convert` is; the source is not read, and the target not written.
    """
    source = target.with_name("trial.pdf")
    source.write_bytes(_DOCUMENT)
    pairs = {name: _reason(source, target.with_name(f"made.{name}")) for name in PDF.targets}
    source.unlink()
    return Converted({"pairs": {"pdf": pairs}})


def _reason(source: Path, target: Path) -> str | None:
    try:
        return reason_against(convert, source, target)
    finally:
        target.unlink(missing_ok=True)
