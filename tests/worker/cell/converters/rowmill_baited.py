"""LibreOffice on a machine that has more programs: those in the folder that the options name."""

import os
from pathlib import Path
from typing import Any

from worker.converters import office
from worker.outcome import Converted, Refused


def convert(
    source: Path, target: Path, *, options: dict[str, Any], **told: Any
) -> Converted | Refused:
    os.environ["PATH"] = f"{options['programs']}:{os.environ['PATH']}"
    return office.convert(source, target, options={}, **told)
