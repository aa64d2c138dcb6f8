"""Ends as a cell does that could not be confined, as a file that took it over might."""

import os
from pathlib import Path
from typing import Any, NoReturn


def convert(source: Path, target: Path, **_told: Any) -> NoReturn:
    os.write(2, b"Unconfined: a cell can do everything\n")
    os._exit(125)
