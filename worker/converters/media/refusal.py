"""Sentences that refuse a recording."""

from app.formats.known import MEDIA
from worker.converters.refusal import Refusal

TITLES = {known.name: known.title for known in MEDIA} | {"gif": "GIF image"}


def damaged(source_format: str, *, log: str = "") -> Refusal:
    """Return the refusal of a recording that cannot be decoded; `log` is what ffmpeg printed."""
    return Refusal(
        "corrupt_input", f"The {TITLES[source_format]} is damaged or incomplete.", log=log
    )


def foreign(source_format: str) -> Refusal:
    """Return the refusal of bytes that do not even begin as they should."""
    return Refusal(
        "corrupt_input", f"The file is damaged, or it is no {TITLES[source_format]} at all."
    )
