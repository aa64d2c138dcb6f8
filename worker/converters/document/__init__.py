"""Written documents into each other with pandoc, and into PDF with typst.

Importing this starts no thread and no program, so a process may fork after it.
"""

from worker.converters.document.conversion import convert
from worker.converters.document.trial import trial

__all__ = ["convert", "trial"]
