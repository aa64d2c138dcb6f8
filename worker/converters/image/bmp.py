"""BMP, which libvips knows neither to read nor to write: through Pillow."""

from typing import Any

import PIL.Image
import pyvips

from worker.converters.image import budget
from worker.converters.image.picture import Picture, Request
from worker.converters.image.progress import PIXELS_DONE
from worker.converters.image.refusal import blamed_on, damaged, foreign
from worker.converters.image.upright import READ

_BANDS = {"L": 1, "RGB": 3, "RGBA": 4}


def read(request: Request) -> Picture:
    """Return the picture, decoded in memory."""
    with blamed_on(foreign("bmp")):
        opened = PIL.Image.open(request.source, formats=("BMP",))
    with opened:
        budget.check(*opened.size, limits=request.limits)
        with blamed_on(damaged("bmp")):
            image = from_pillow(opened)
    request.meter.reach(READ, "reading")
    return Picture(image, (image.width, image.height))


def write(picture: Picture, request: Request) -> None:
    """Write an opaque picture of 8 bits a channel."""
    image = picture.image
    with request.meter.watch(image, until=PIXELS_DONE, stage="encoding"):
        pixels = image.write_to_memory()
    mode = "L" if image.bands == 1 else "RGB"
    whole = PIL.Image.frombuffer(mode, (image.width, image.height), pixels, "raw", mode, 0, 1)
    whole.save(request.target, "BMP")


def from_pillow(opened: Any) -> pyvips.Image:
    """Return what Pillow decodes as an image of libvips: grey, RGB or RGBA."""
    mode = _mode(opened)
    decoded = opened if opened.mode == mode else opened.convert(mode)
    image = pyvips.Image.new_from_memory(decoded.tobytes(), *decoded.size, _BANDS[mode], "uchar")
    return image.copy(interpretation="b-w" if mode == "L" else "srgb")


def _mode(opened: Any) -> str:
    if opened.mode in _BANDS:
        return str(opened.mode)
    if opened.mode == "1":
        return "L"
    return "RGBA" if opened.has_transparency_data else "RGB"
