"""SVG: drawn in the size of the result, from bytes, so that no file beside it can be named."""

import pyvips

from worker.converters.image import loaders
from worker.converters.image.picture import Picture, Request
from worker.converters.image.refusal import foreign
from worker.converters.image.size import ICON_SIDE, plan

CSS_DPI = 96  # what a browser takes for an inch
VIPS_DPI = 72  # what libvips takes for a scale of one


def read(request: Request) -> Picture:
    """Return the drawing; a huge canvas is only refused when the result would be as huge."""
    loaders.allow("svg")
    content = request.source.read_bytes()
    drawn = _draw(content, 1.0)
    full = (drawn.width, drawn.height)
    if _is_free_icon(request):
        factor = ICON_SIDE / max(full)
        full = (max(1, round(full[0] * factor)), max(1, round(full[1] * factor)))
    wanted = plan(full, request).inner
    scale = max(wanted[0] / drawn.width, wanted[1] / drawn.height)
    return Picture(drawn if scale == 1.0 else _draw(content, scale), full)


def _draw(content: bytes, scale: float) -> pyvips.Image:
    try:
        # Without a file name there is no place that a relative reference could start from.
        return pyvips.Image.svgload_buffer(
            content,
            dpi=CSS_DPI,
            scale=scale * VIPS_DPI / CSS_DPI,
            access="sequential",
            fail_on="error",
        )
    except pyvips.Error as error:
        raise foreign("svg") from error


def _is_free_icon(request: Request) -> bool:
    """Whether an icon is wanted in no stated size: a drawing fills the largest one."""
    sized = request.wish.width or request.wish.height
    return request.target_format == "ico" and not sized
