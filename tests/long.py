"""How much of what could go on for ever: a little in every run, TIMES as much at length.

More rounds are more tests, of other seeds, never longer ones: each keeps within its time.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

Case = TypeVar("Case")

TIMES = int(os.environ.get("TEST_TIMES") or 1)
SEEDS = range(TIMES)


def some(cases: Iterable[Case], *, each: int) -> list[Case]:
    """Return one case of `each`, spread over all of them; at length every case."""
    return list(cases)[:: each if TIMES == 1 else 1]
