"""A conversion of nothing: it ends well in every cell that could be confined."""

from typing import Any

from worker.outcome import Converted


def convert(_source: Any, _target: Any, **_told: Any) -> Converted:
    return Converted()
