"""Which of LibreOffice's programs a format belongs to, and what its filter for PDF is told."""

import json
from dataclasses import dataclass

from app.formats.office import SHEETS, SLIDES, TEXTS, OfficeOptions


@dataclass(frozen=True)
class Program:
    """One of the programs that LibreOffice consists of; `library` is there when it is installed."""

    name: str
    library: str


WRITER = Program("writer", "libswlo.so")
CALC = Program("calc", "libsclo.so")
IMPRESS = Program("impress", "libsdlo.so")
PROGRAMS = {
    **dict.fromkeys(TEXTS, WRITER),
    **dict.fromkeys(SHEETS, CALC),
    **dict.fromkeys(SLIDES, IMPRESS),
}


def options(target_format: str, wish: OfficeOptions, *, max_pages: int) -> str:
    """Return the options of the filter. A PDF gets one page more than allowed, never thousands."""
    if target_format != "pdf":
        return ""
    told = {"PageRange": {"type": "string", "value": wish.pages or f"1-{max_pages + 1}"}}
    if wish.archive:
        told["SelectPdfVersion"] = {"type": "long", "value": "2"}
    return json.dumps(told)
