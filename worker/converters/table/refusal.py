"""Sentences that refuse a table, and whose fault a reader's exception is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL

from app.formats.catalogue import format_named
from worker.converters.refusal import Refusal

_NUMBER = re.compile(r"\(os error (\d+)\)")


def damaged(source_format: str, how: str = "") -> Refusal:
    """Return the refusal of a file that ends early or makes no sense."""
    known = format_named(source_format)
    title = known.title if known else source_format
    return Refusal("corrupt_input", f"The {title} is damaged or incomplete{how and ': '}{how}.")


@contextmanager
def blamed_on(refusal: Refusal) -> Iterator[None]:
    """Turn whatever a reader raises inside into `refusal`; the machine's troubles go through.

    On damaged bytes polars and calamine raise types of their own, and Rust panics, which are no
    Exception and of another type in each library.
    """
    try:
        yield
    except (MemoryError, Refusal):
        raise
    except BaseException as error:
        if _is_of_the_file(error):
            raise refusal from error
        raise


def number_of(error: BaseException) -> int | None:
    """Return the number of the failed system call behind an error, which Rust tells in words."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    told = _NUMBER.search(str(error))
    return int(told[1]) if told else None


def _is_of_the_file(error: BaseException) -> bool:
    """Whether it is a fault of the bytes; an offset that makes no sense is an invalid argument.

    Of a file that ends too early Rust says so without a number: no system call has failed.
    """
    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
        return number_of(error) in (None, EINVAL)
    return False
