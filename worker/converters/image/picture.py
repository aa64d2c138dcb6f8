"""A picture in memory, and what one conversion of it was asked to be."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyvips

from app.formats.image import ImageOptions
from worker.converters.image.progress import ImageMeter
from worker.converters.limits import Limits

ANIMATED = frozenset({"png", "webp", "avif", "gif"})


@dataclass(frozen=True)
class Request:
    """One conversion: from which file to which, with which wishes, within which limits."""

    source: Path
    target: Path
    source_format: str
    target_format: str
    wish: ImageOptions
    limits: Limits
    meter: ImageMeter
    page: int = 0  # of a TIFF, which of its images

    @property
    def animated(self) -> bool:
        """Whether every frame is wanted, should there be more than one."""
        return self.target_format in ANIMATED and not self.wish.first_frame


@dataclass(frozen=True)
class Picture:
    """`image` is all frames of equal height, the first on top.

    `full` is the width and height of one upright frame as the file states it, which `image`
    need not have yet: some readers deliver it smaller. `delays` are milliseconds for each
    frame; `plays` is how often an animation runs, 0 for ever. `notes` are for the person.
    """

    image: pyvips.Image
    full: tuple[int, int]
    frames: int = 1
    delays: tuple[int, ...] = ()
    plays: int = 0
    notes: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """The height of one frame."""
        return int(self.image.height) // self.frames

    def noting(self, *sentences: str) -> "Picture":
        return replace(self, notes=(*self.notes, *sentences))

    def each_frame(self, change: Callable[[pyvips.Image], pyvips.Image]) -> "Picture":
        """Return the picture with every frame changed by itself, so that none bleeds into another.

        Frames of an animation are taken out of order, hence from memory.
        """
        if self.frames == 1:
            return replace(self, image=change(self.image))
        strip = self.image.copy_memory()
        cut = [strip.crop(0, at * self.height, strip.width, self.height) for at in self._order]
        return replace(self, image=pyvips.Image.arrayjoin([change(one) for one in cut], across=1))

    @property
    def _order(self) -> range:
        return range(self.frames)
