"""Whether there is enough memory for an encoder that takes far more of it than the picture has."""

import mmap
from typing import Any

import pyvips

from worker.converters.refusal import Refusal

# Measured with libheif 1.23 and libaom: the threads' own, and for each pixel of 8 bits with
# halved colours. All of it is address space, which is what the limit of a cell counts.
_AVIF_BYTES = 480 * 1024**2
_AVIF_PIXEL_BYTES = 24
_DEEP, _FULL_COLOUR, _SEE_THROUGH = 1.6, 2.1, 2.0
_FULL_COLOUR_FROM = 90  # the quality from which libvips keeps all the colours


def check_avif(image: pyvips.Image, options: dict[str, Any]) -> None:
    """Raise Refusal when the encoder would not get what it is going to need.

    It does not say so itself: it fails somewhere, and that looks like a damaged picture.
    """
    factor = _DEEP if image.format == "ushort" else 1.0
    if options.get("lossless") or options.get("Q", 0) >= _FULL_COLOUR_FROM:
        factor *= _FULL_COLOUR
    if image.hasalpha():
        factor *= _SEE_THROUGH
    pixels = image.width * image.height
    needed = _AVIF_BYTES + int(pixels * _AVIF_PIXEL_BYTES * factor)
    try:
        mmap.mmap(-1, needed).close()
    except OSError:
        raise Refusal(
            "memory_limit",
            f"AVIF takes about {needed / 1e9:.1f} GB of memory for {pixels:,} pixels, which is "
            "more than this service allows. Give a smaller width or height, or choose WebP.",
        ) from None
