"""Orientation, applied exactly once: afterwards the pixels stand as a person sees them."""

from dataclasses import replace

from worker.converters.image.picture import Picture
from worker.converters.image.progress import ImageMeter

_MIRRORED = 2  # the only one that can be made row by row, while the file is read
_ON_ITS_SIDE = 5  # from here on width and height change places
READ = 0.3


def orientation(picture: Picture) -> int:
    """Return 1 to 8 as in EXIF; what is not in there counts as upright."""
    image = picture.image
    value = int(image.get("orientation")) if image.get_typeof("orientation") else 1
    return value if 1 <= value <= 8 else 1


def stand_up(picture: Picture, meter: ImageMeter) -> Picture:
    """Return the picture turned and mirrored as its orientation says."""
    turn = orientation(picture)
    if turn == 1:
        return picture
    if turn > _MIRRORED and picture.frames == 1:
        with meter.watch(picture.image, until=READ, stage="reading"):
            picture = replace(picture, image=picture.image.copy_memory())
    return picture.each_frame(lambda frame: frame.autorot())


def swaps_sides(turn: int) -> bool:
    return turn >= _ON_ITS_SIDE
