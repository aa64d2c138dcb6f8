"""What a conversion may not exceed; the worker sends it along, the converter keeps to it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`max_pixels` bounds width x height x frames, of what is read and of what is made."""

    max_pixels: int = 100_000_000
