"""How a conversion says that this picture can never be converted so."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.formats.image import IMAGE

TITLES = {known.name: known.title for known in IMAGE.formats}


class Refusal(Exception):
    """Ends a conversion; `code` is in the catalogue of failures, `detail` is for the person."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


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
