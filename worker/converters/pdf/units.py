"""How large a page's unit is: a plan or a poster beyond 200 inches counts in more than points."""

from collections.abc import Iterable
from typing import Any

from worker.converters.pdf import qpdf
from worker.converters.pdf.opening import Opened
from worker.converters.pdf.refusal import blamed_on, damaged
from worker.converters.pdf.request import Request
from worker.converters.refusal import Refusal

_LARGEST = 75_000  # as in Acrobat (ISO 32000-1, table C.1); what is more was not meant


def of(found: Opened, indices: Iterable[int], request: Request) -> dict[int, float]:
    """Return the UserUnit of these pages where it is not 1; PDFium leaves it out of its sizes."""
    try:
        with (
            qpdf.opened(found.repaired or request.source, request.wish.password) as read,
            blamed_on(damaged()),
        ):
            pages = list(read.pdf.pages)
            units = {at: _unit(pages[at].obj.get("/UserUnit")) for at in indices if at < len(pages)}
    except Refusal:
        return {}
    return {at: unit for at, unit in units.items() if unit != 1}


def _unit(stated: Any) -> float:
    try:
        unit = float(stated)
    except (TypeError, ValueError):
        return 1.0
    return unit if 0 < unit <= _LARGEST else 1.0
