"""Films and sounds into films, sounds and pictures: ffmpeg does the work, its end is judged here.

Importing this starts no thread; it runs `ffmpeg -version`, to know which ffmpeg is the best.
"""

from worker.converters.media.conversion import convert
from worker.converters.media.trial import trial

__all__ = ["convert", "trial"]
