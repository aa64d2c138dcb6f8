"""Sentences that refuse a PDF, and whose fault a reader's exception is."""

from collections.abc import Iterator
from contextlib import contextmanager

from worker.converters.refusal import Refusal


def foreign() -> Refusal:
    """Return the refusal of bytes that do not even begin as they should."""
    return Refusal("corrupt_input", "The file is damaged, or it is not a PDF at all.")


def damaged() -> Refusal:
    """Return the refusal of a document in which nothing usable was found."""
    return Refusal(
        "corrupt_input",
        "The PDF is so damaged or incomplete that it could not be repaired. "
        "Get the file again from where it comes from.",
    )


def page_damaged(number: int, total: int) -> Refusal:
    """Return the refusal of one page; the person may leave it out."""
    return Refusal(
        "corrupt_input",
        f"Page {number} of {total} is damaged. "
        "Choose other pages with the option pages, or get the file again.",
    )


@contextmanager
def blamed_on(refusal: Refusal) -> Iterator[None]:
    """Turn whatever qpdf or PDFium raise inside into `refusal`.

    On damaged objects pikepdf raises PdfError, ValueError, TypeError, AttributeError, KeyError
    and more. What the machine is to blame for goes through as it is.
    """
    try:
        yield
    except (MemoryError, OSError, Refusal):
        raise
    except Exception as error:
        raise refusal from error
