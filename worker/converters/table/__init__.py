"""Tables into tables: text stays text, nothing is lost without a word.

Importing this is cheap and starts no thread; polars starts some when it is imported, so only a
cell may do that.
"""

import os
from typing import Any

from worker.outcome import Converted, Refused

__all__ = ["convert", "trial"]


def convert(*args: Any, **contract: Any) -> Converted | Refused:
    """Convert one table; see worker.converters.table.conversion."""
    _prepare()
    from worker.converters.table import conversion

    return conversion.convert(*args, **contract)


def trial(*args: Any, **contract: Any) -> Converted:
    """Tell which pairs this installation can do; see worker.converters.table.trying."""
    _prepare()
    from worker.converters.table import trying

    return trying.trial(*args, **contract)


def _prepare() -> None:
    os.environ.setdefault("POLARS_MAX_THREADS", "2")  # read once, by its import
