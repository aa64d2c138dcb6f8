"""Which of LibreOffice's programs a format belongs to, and what its filter for PDF is told."""

import json
from dataclasses import dataclass
from pathlib import Path

from app.formats.office import SHEETS, SLIDES, TEXTS, OfficeOptions
from worker.converters.office import choice


@dataclass(frozen=True)
class Program:
    """One of the programs that LibreOffice consists of; `library` is there when it is installed."""

    name: str
    library: str

    def is_in(self, place: Path | None) -> bool:
        """Whether it is installed; `place` is LibreOffice's folder of programs, if there is one."""
        return place is not None and (place / self.library).exists()


WRITER = Program("writer", "libswlo.so")
CALC = Program("calc", "libsclo.so")
IMPRESS = Program("impress", "libsdlo.so")
MATH = Program("math", "libsmlo.so")  # what draws a formula in a document of any other
PROGRAMS = {
    **dict.fromkeys(TEXTS, WRITER),
    **dict.fromkeys(SHEETS, CALC),
    **dict.fromkeys(SLIDES, IMPRESS),
}


def options(target_format: str, wish: OfficeOptions, *, max_pages: int) -> str:
    """Return the options of the filter that writes."""
    if target_format != "pdf":
        return ""
    told = {"PageRange": {"type": "string", "value": choice.told(wish.pages, most=max_pages)}}
    if wish.archive:
        told["SelectPdfVersion"] = {"type": "long", "value": "2"}
    return json.dumps(told)
