"""A trial that writes a file, and takes what keeps it from that for what the library lacks."""

from pathlib import Path
from typing import Any

from worker.outcome import Converted


def trial(source: Path, target: Path, **_told: Any) -> Converted:
    why = None
    try:
        target.write_bytes(bytes(1024**2))
    except OSError as error:
        why = f"to nap: {error}"
    return Converted({"pairs": {"png": {"nap": why}}})
