"""Tries one conversion at a worker's start, and says why it cannot be done here."""

from pathlib import Path
from typing import Any, Protocol

from worker.converters.limits import Limits
from worker.converters.progress import Progress
from worker.outcome import Converted, Refused


class Convert(Protocol):
    """What a converter family names as its `convert`."""

    def __call__(
        self,
        source: Path,
        target: Path,
        *,
        source_format: str,
        target_format: str,
        options: dict[str, Any],
        limits: Limits,
        progress: Progress,
    ) -> Converted | Refused: ...


def reason_against(convert: Convert, source: Path, target: Path) -> str | None:
    """Convert a file as the names of both say; return None, or what stood in the way."""
    try:
        outcome = convert(
            source,
            target,
            source_format=source.suffix[1:],
            target_format=target.suffix[1:],
            options={},
            limits=Limits(),
            progress=lambda _value, _stage: None,
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the reason
        return f"{type(error).__name__}: {error}"
    return (outcome.detail or outcome.code) if isinstance(outcome, Refused) else None
