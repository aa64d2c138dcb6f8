"""A trial that takes a moment, so that something can happen to it."""

import time
from pathlib import Path
from typing import Any

from worker.outcome import Converted


def trial(source: Path, target: Path, **_told: Any) -> Converted:
    time.sleep(1)
    return Converted({"pairs": {}})
