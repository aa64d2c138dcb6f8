"""Tables into tables: text stays text, nothing is lost without a word.

Importing this starts no thread. polars starts some when it is imported, so only a cell may do
that; all else that a table may need is imported here, once, and not again in each cell.
"""

import gc
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from worker.outcome import Converted, Refused

__all__ = ["convert", "trial"]

# What of this family knows nothing of polars, and what polars itself takes from the library: a
# third of what a cell would else import.
_READY = (
    *("concurrent.futures.thread", "glob", "mmap", "subprocess"),
    *("python_calamine", "xml.sax.saxutils"),
    *("app.formats.catalogue", "worker.converters.packed"),
    *(
        f"worker.converters.table.{name}"
        for name in (
            "cellmarkup",
            "dialect",
            "flatbuffer",
            "lenient",
            "names",
            "pieces",
            "refusal",
            "values",
            "workbook.biff",
            "workbook.grid",
            "workbook.kept",
            "workbook.package",
            "workbook.parts",
        )
    ),
)


def convert(*args: Any, **contract: Any) -> Converted | Refused:
    """Convert one table; see worker.converters.table.conversion."""
    with _prepared():
        from worker.converters.table import conversion

        return conversion.convert(*args, **contract)


def trial(*args: Any, **contract: Any) -> Converted:
    """Tell which pairs this installation can do; see worker.converters.table.trying."""
    with _prepared():
        from worker.converters.table import trying

        return trying.trial(*args, **contract)


@contextmanager
def _prepared() -> Iterator[None]:
    """Keep Python from looking for cycles among millions of cells: it took half of the time."""
    for name, value in _settings().items():
        os.environ.setdefault(name, value)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _settings() -> dict[str, str]:
    """Return what polars reads once, when it is imported.

    A cell cannot see how much memory there is, and polars would take that for none: it would move
    every frame into a file at once, in a folder where no cell may write. It begins to at 0.8 of
    the memory; at twice the limit of the cell it never does, and the limit holds.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    threads = {"POLARS_MAX_THREADS": "2"}
    if most == resource.RLIM_INFINITY:
        return threads
    return {**threads, "POLARS_OVERRIDE_TOTAL_MEMORY_MB": str(2 * most // 10**6)}


for _name in _READY:
    import_module(_name)
