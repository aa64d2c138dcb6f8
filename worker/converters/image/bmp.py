"""BMP, which libvips does not write: through Pillow."""

import PIL.Image

from worker.converters.image import whole
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE


def write(picture: Picture, request: Request) -> None:
    """Write an opaque picture of 8 bits a channel."""
    image = picture.image
    with request.meter.watch(image, until=PIXELS_DONE, stage="encoding"):
        pixels = image.write_to_memory()
    mode = "L" if image.bands == 1 else "RGB"
    made = PIL.Image.frombuffer(mode, (image.width, image.height), pixels, "raw", mode, 0, 1)
    whole.save(made, request.target, "BMP")
