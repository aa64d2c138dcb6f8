"""What a conversion may not exceed; the worker sends it along, the converter keeps to it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The operator's limits, each as the setting ROWMILL_MAX_… of its name.

    `max_pixels` bounds width x height x frames, of what is read and of what is made;
    `max_pages` of a document, `max_rows` of a table, `max_media_seconds` of a film or sound;
    `max_inflated_bytes`, `max_zip_entries` and `max_zip_ratio` what a packed file may hold,
    counted while it is unpacked and never taken from what it says of itself.
    """

    max_pixels: int = 100_000_000
    max_pages: int = 2_000
    max_rows: int = 50_000_000
    max_media_seconds: int = 86_400
    max_inflated_bytes: int = 2 * 1024**3
    max_zip_entries: int = 10_000
    max_zip_ratio: int = 200
