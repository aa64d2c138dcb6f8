"""A converter that takes until a test puts `go` into its scratch folder.

Before that it tells each of `steps`, and goes on when it finds `go-1`, `go-2` and so on.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worker.outcome import Converted


def convert(
    source: Path,
    target: Path,
    *,
    options: dict[str, Any],
    progress: Callable[[float, str], None],
    **_: Any,
) -> Converted:
    for step in range(1, options.get("steps", 0) + 1):
        progress(step / 10, f"step {step}")  # a new stage is never held back
        _until(Path(f"go-{step}"))
    _until(Path("go"))
    return Converted({})


def _until(sign: Path) -> None:
    while not sign.exists():
        time.sleep(0.005)
