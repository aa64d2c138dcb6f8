"""What of a damaged document is lost, as far as that can be told."""

import pikepdf

from worker.converters.pdf import qpdf
from worker.converters.pdf.refusal import damaged
from worker.converters.pdf.selection import named

DAMAGED = (
    "The file is damaged. Everything that could be found in it was converted: "
    "compare the result with what you expect."
)


def notes(pdf: pikepdf.Pdf, indices: list[int]) -> list[str]:
    """Return sentences about the wanted pages; raise Refusal when there is nothing on any."""
    cut = qpdf.cut(pdf, indices)
    if len(cut) == len(indices):
        raise damaged()
    lost = [f"The content of {named(cut)} is cut short or missing."] if cut else []
    return [DAMAGED, *lost]
