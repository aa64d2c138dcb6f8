"""Pictures into pictures: libvips where it can, Pillow and libheif where it cannot.

Importing this starts no thread and runs no pipeline, so a process may fork after it.
"""

from worker.converters.image.conversion import convert
from worker.converters.image.loaders import block_all
from worker.converters.image.trial import trial

__all__ = ["convert", "trial"]

block_all()
