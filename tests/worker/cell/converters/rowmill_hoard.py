"""Fills its scratch folder with files, each of which is small enough, and never ends."""

import time
from pathlib import Path
from typing import Any, NoReturn


def convert(source: Path, target: Path, **_told: Any) -> NoReturn:
    for number in range(12):
        Path(f"part-{number}").write_bytes(bytes(1024**2))
    while True:
        time.sleep(60)
