"""One page of a document that PDFium has open, for as long as it is looked at."""

from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2

from worker.converters.pdf.refusal import page_damaged


@contextmanager
def loaded(document: pypdfium2.PdfDocument, index: int) -> Iterator[pypdfium2.PdfPage]:
    """Load a page and let go of it, and of its pictures, at the end; Refusal if it is damaged."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError as error:
        raise page_damaged(index + 1, len(document)) from error
    try:
        yield page
    finally:
        page.close()
