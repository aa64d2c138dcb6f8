"""How large the pictures of a result get."""

from dataclasses import dataclass

from app.formats.media import MediaOptions
from worker.converters.limits import Limits
from worker.converters.media.recording import Stream
from worker.converters.refusal import Refusal


@dataclass(frozen=True)
class Size:
    """Pixels across and down, as they are to be seen."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width} × {self.height}"  # noqa: RUF001 - the sign for it, not a letter

    @property
    def pixels(self) -> int:
        return self.width * self.height


def check(video: Stream, limits: Limits) -> None:
    """Raise Refusal when one picture of this film is too much to decode."""
    stored = Size(video.width, video.height)
    if stored.pixels > limits.max_pixels:
        raise _too_many("Each picture of the film has", stored, limits)


def shown(video: Stream) -> Size:
    """Return how large a player shows the film: pixels stretched, turned upright."""
    width, height = video.width * video.stretch, float(video.height)
    if is_on_its_side(video):
        width, height = height, width
    return Size(max(1, round(width)), max(1, round(height)))


def is_on_its_side(video: Stream) -> bool:
    return round(video.rotation / 90) % 2 == 1


def wanted(video: Stream, wish: MediaOptions, limits: Limits, *, most: Size | None = None) -> Size:
    """Return the size of the result: as it is, or inside what was asked for.

    `most` bounds what nobody asked for. Raise Refusal when it would be too much.
    """
    natural = shown(video)
    if wish.width is None and wish.height is None:
        box = most if most is not None else natural
        made = _inside(natural, box.width, box.height, larger=False)
    else:
        made = _inside(natural, wish.width, wish.height, larger=True)
    if made.pixels > limits.max_pixels:
        raise _too_many("Each picture of the result would have", made, limits)
    return made


def even(size: Size) -> Size:
    """Return the size with even sides, as H.264 needs them: a row or column less, never none."""
    return Size(max(2, size.width // 2 * 2), max(2, size.height // 2 * 2))


def _inside(natural: Size, width: int | None, height: int | None, *, larger: bool) -> Size:
    across = width / natural.width if width else float("inf")
    down = height / natural.height if height else float("inf")
    factor = min(across, down) if larger else min(across, down, 1.0)
    return Size(max(1, round(natural.width * factor)), max(1, round(natural.height * factor)))


def _too_many(what: str, size: Size, limits: Limits) -> Refusal:
    return Refusal(
        "too_many_pixels",
        f"{what} {size.pixels:,} pixels ({size}); this service converts up to "
        f"{limits.max_pixels:,}. Ask the operator to raise ROWMILL_MAX_PIXELS, or make it smaller.",
    )
