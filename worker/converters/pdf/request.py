"""What one conversion of a document was asked to be."""

from dataclasses import dataclass
from pathlib import Path

from app.formats.pdf import PdfOptions
from worker.converters.limits import Limits
from worker.converters.pdf.progress import PageMeter


@dataclass(frozen=True)
class Request:
    """One conversion: from which file to which, with which wishes, within which limits."""

    source: Path
    target: Path
    target_format: str
    wish: PdfOptions
    limits: Limits
    meter: PageMeter
