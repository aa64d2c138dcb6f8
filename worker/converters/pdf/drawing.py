"""One page becomes one picture, drawn by PDFium band by band into the picture's own memory."""

import ctypes
import mmap
from collections.abc import Callable

import pypdfium2
from PIL import Image
from pypdfium2 import raw

from worker.converters.pdf.size import Plan

# A transparent group needs a bitmap of its own, as large as what is drawn at once. Where PDFium
# gets no memory for it, it leaves the group out and says nothing: hence small bands, and a look
# beforehand whether there is room for a dozen of their bitmaps.
BAND_PIXELS = 4_000_000
ROOM = 192 * 1024**2

_PIXEL_BYTES = 4
_WHITE = 0xFFFFFFFF
_NOTHING = 0x00FFFFFF


def drawn(
    page: pypdfium2.PdfPage,
    plan: Plan,
    *,
    transparent: bool,
    tell: Callable[[float], None],
    band_pixels: int = BAND_PIXELS,
) -> Image.Image:
    """Return the page with its annotations, form fields and stamps; raise MemoryError if none fits.

    The mode is RGBA or RGBX. `tell` hears which part of it is drawn.
    """
    pixels = bytearray(plan.width * plan.height * _PIXEL_BYTES)
    _look_for_room()
    rows = max(1, band_pixels // plan.width)
    for top in range(0, plan.height, rows):
        _draw_band(page, plan, pixels, top, min(rows, plan.height - top), transparent=transparent)
        tell(min(1.0, (top + rows) / plan.height))
    mode = "RGBA" if transparent else "RGBX"
    # These two modes are read in place: the pixels are not copied.
    return Image.frombuffer(mode, (plan.width, plan.height), pixels, "raw", mode, 0, 1)


def _look_for_room() -> None:
    try:
        mmap.mmap(-1, ROOM).close()
    except OSError as error:
        raise MemoryError from error


def _draw_band(
    page: pypdfium2.PdfPage,
    plan: Plan,
    pixels: bytearray,
    top: int,
    rows: int,
    *,
    transparent: bool,
) -> None:
    stride = plan.width * _PIXEL_BYTES
    kind = raw.FPDFBitmap_BGRA if transparent else raw.FPDFBitmap_BGRx
    place = (ctypes.c_ubyte * (rows * stride)).from_buffer(pixels, top * stride)
    band = raw.FPDFBitmap_CreateEx(plan.width, rows, kind, place, stride)
    if not band:
        raise MemoryError
    try:
        ground = _NOTHING if transparent else _WHITE
        raw.FPDFBitmap_FillRect(band, 0, 0, plan.width, rows, ground)
        flags = raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
        whole = (0, -top, plan.width, plan.height, 0, flags)
        raw.FPDF_RenderPageBitmap(band, page, *whole)
        if page.formenv:
            raw.FPDF_FFLDraw(page.formenv, band, page, *whole)
    finally:
        raw.FPDFBitmap_Destroy(band)
