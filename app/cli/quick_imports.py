"""Importing much at once, without searching it for garbage again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_imports() -> Iterator[None]:
    """Make imports a sixth shorter; what they made stays, and is not searched later either."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
