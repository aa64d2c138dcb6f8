"""How much one body may ask for before it is refused."""

from dataclasses import dataclass

MIB = 1024**2


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Sizes are bytes, times are seconds.

    `idle_seconds` may pass without a byte; over that time a body must also bring `least_rate`
    bytes a second, or a client that sends one byte a minute holds its place for ever.
    """

    max_bytes: int
    idle_seconds: float = 60.0
    least_rate: int = 1024
    max_parts: int = 64
    max_field_bytes: int = 64 * 1024
    max_padding_bytes: int = 64 * 1024
    max_form_overhead: int = MIB
