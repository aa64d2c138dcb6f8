"""Documents into pictures, text and documents: PDFium draws and reads, qpdf repairs and copies.

Importing this starts no thread, and what PDFium sets up then survives a fork.
"""

from worker.converters.pdf.conversion import convert
from worker.converters.pdf.trial import trial

__all__ = ["convert", "trial"]
