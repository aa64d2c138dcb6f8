"""TIFFs in Lab of 8 bits, which libvips knows of and fails on: through Pillow."""

import PIL.Image
import pyvips
from PIL import TiffImagePlugin  # noqa: F401 - opening a format imports every one if it is missing

from worker.converters.image import budget
from worker.converters.image.picture import Request
from worker.converters.image.refusal import blamed_on, damaged, foreign


def is_meant(error: pyvips.Error) -> bool:
    """Whether this is what libvips says of such a file."""
    return "bad labq format" in str(error)


def decoded(request: Request) -> pyvips.Image:
    """Return one page in memory, which Pillow has already turned upright."""
    with blamed_on(foreign("tiff")), PIL.Image.open(request.source, formats=("TIFF",)) as opened:
        opened.seek(request.page)
        budget.check(*opened.size, limits=request.limits)
        if opened.mode != "LAB":
            raise foreign("tiff")
        with blamed_on(damaged("tiff")):
            pixels = opened.tobytes()
        image = pyvips.Image.new_from_memory(pixels, *opened.size, 3, "uchar")
        lightness, colours = image[0] * (100 / 255), image[1:3].copy(format="char")
        return lightness.bandjoin(colours).copy(interpretation="lab")
