"""Sentences that refuse a picture, and whose fault a reader's exception is."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.formats.image import IMAGE
from worker.converters.refusal import Refusal

TITLES = {known.name: known.title for known in IMAGE.formats}


def damaged(source_format: str) -> Refusal:
    """Return the refusal of a picture whose pixels end early or make no sense."""
    return Refusal("corrupt_input", f"The {TITLES[source_format]} file is damaged or incomplete.")


def foreign(source_format: str) -> Refusal:
    """Return the refusal of bytes that do not even begin as they should."""
    title = TITLES[source_format]
    return Refusal("corrupt_input", f"The file is damaged, or it is not a {title} file at all.")


@contextmanager
def blamed_on(refusal: Refusal) -> Iterator[None]:
    """Turn whatever is raised inside into `refusal`, for readers written in Python.

    On damaged bytes Pillow raises OSError, SyntaxError, ValueError, struct.error, IndexError
    and more, so no list of types would be complete.
    """
    try:
        yield
    except (MemoryError, Refusal):
        raise
    except Exception as error:
        raise refusal from error
