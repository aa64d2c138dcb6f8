"""What the operator's settings allow one conversion, as it travels into the cell."""

from dataclasses import fields

from app.settings import Settings
from worker.converters.limits import Limits


def limits(settings: Settings) -> dict[str, int]:
    """Return the converter's limits by their names."""
    return {limit.name: getattr(settings, limit.name) for limit in fields(Limits)}
