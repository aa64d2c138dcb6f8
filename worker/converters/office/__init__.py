"""Office documents into PDF and into each other, by LibreOffice without a display."""

from worker.converters.office.conversion import convert
from worker.converters.office.trial import trial

__all__ = ["convert", "trial"]
