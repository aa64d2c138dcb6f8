"""Whether a picture has few enough pixels to be decoded, decided from its header alone."""

from worker.converters.limits import Limits
from worker.converters.refusal import Refusal


def check(width: int, height: int, frames: int = 1, *, limits: Limits) -> None:
    """Raise Refusal when reading this picture would be too much."""
    if width * height * frames > limits.max_pixels:
        what = "The image has" if frames == 1 else "The animation has"
        raise _too_many(what, width, height, frames, limits)


def check_result(width: int, height: int, frames: int = 1, *, limits: Limits) -> None:
    """Raise Refusal when making this picture would be too much."""
    if width * height * frames > limits.max_pixels:
        raise _too_many("The result would have", width, height, frames, limits)


def sides(width: int, height: int) -> str:
    """Return a size as a person writes it."""
    return f"{width} × {height}"  # noqa: RUF001 - the sign for it, not a letter


def _too_many(what: str, width: int, height: int, frames: int, limits: Limits) -> Refusal:
    size = sides(width, height) if frames == 1 else f"{sides(width, height)} in {frames} frames"
    return Refusal(
        "too_many_pixels",
        f"{what} {width * height * frames:,} pixels ({size}); "
        f"this service converts up to {limits.max_pixels:,}.",
    )
