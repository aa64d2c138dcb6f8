"""Which libvips loaders may run: none, until a conversion names the one for its source."""

import PIL.Image
import pyvips

CLASSES = {
    "jpg": "VipsForeignLoadJpeg",
    "png": "VipsForeignLoadPng",
    "webp": "VipsForeignLoadWebp",
    "avif": "VipsForeignLoadHeif",
    "tiff": "VipsForeignLoadTiff",
    "gif": "VipsForeignLoadNsgif",
    "svg": "VipsForeignLoadSvg",
}


def block_all() -> None:
    """Leave this process without any way to read a file through libvips.

    This is stricter than VIPS_BLOCK_UNTRUSTED, which lets every fuzzed loader sniff every file.
    """
    pyvips.block_untrusted_set(True)
    pyvips.operation_block_set("VipsForeignLoad", True)
    pyvips.cache_set_max(0)  # one conversion repeats nothing, and a cached loader keeps its file
    PIL.Image.MAX_IMAGE_PIXELS = None  # budget.py counts, before anything is decoded


def allow(*formats: str) -> None:
    """Let libvips read these formats and no others."""
    block_all()
    for name in formats:
        pyvips.operation_block_set(CLASSES[name], False)
