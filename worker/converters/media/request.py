"""What one conversion is about: from where to where, the wishes and the limits."""

from dataclasses import dataclass
from pathlib import Path

from app.formats.media import MediaOptions
from worker.converters.limits import Limits
from worker.converters.progress import Meter


@dataclass(frozen=True)
class Request:
    """`demuxer` is the name by which ffmpeg reads the source."""

    source: Path
    target: Path
    source_format: str
    target_format: str
    wish: MediaOptions
    limits: Limits
    meter: Meter
    demuxer: str
