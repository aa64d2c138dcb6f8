"""Pictures: which formats turn into which, and the options of one such conversion."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from app.formats.family import Family, Format, Options
from app.formats.options import optional, refusal

LONGEST_SIDE = 65_535

# The sixteen names of HTML 4 and orange: enough to say, few enough to list in an error.
COLOURS = {
    "white": "#ffffff",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "black": "#000000",
    "red": "#ff0000",
    "maroon": "#800000",
    "orange": "#ffa500",
    "yellow": "#ffff00",
    "olive": "#808000",
    "lime": "#00ff00",
    "green": "#008000",
    "aqua": "#00ffff",
    "teal": "#008080",
    "blue": "#0000ff",
    "navy": "#000080",
    "fuchsia": "#ff00ff",
    "purple": "#800080",
}

_SENTENCES = {
    "width": f"width must be a whole number of pixels from 1 to {LONGEST_SIDE}",
    "height": f"height must be a whole number of pixels from 1 to {LONGEST_SIDE}",
    "fit": "fit must be inside, cover, pad or fill",
    "quality": "quality must be a whole number from 1 to 100",
    "lossless": "lossless must be true or false",
    "background": (
        f"background must be a colour such as #ffcc00, or one of the names {', '.join(COLOURS)}"
    ),
    "strip": "strip must be true or false",
    "first_frame": "first_frame must be true or false",
}


Side = Annotated[int, Field(ge=1, le=LONGEST_SIDE)]
Quality = Annotated[int, Field(ge=1, le=100)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]


class ImageOptions(Options):
    """How one picture becomes another."""

    # A colour's name is read into its #rrggbb, so that what a job's row keeps is the same
    # however it was written.
    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "image conversions"

    width: Side | SkipJsonSchema[None] = Field(
        default=None,
        title="Width",
        description="Pixels from left to right. With only one of width and height given, "
        "the other follows in proportion.",
        json_schema_extra=optional,
    )
    height: Side | SkipJsonSchema[None] = Field(
        default=None,
        title="Height",
        description="Pixels from top to bottom.",
        json_schema_extra=optional,
    )
    fit: Literal["inside", "cover", "pad", "fill"] = Field(
        default="inside",
        title="Fit",
        description="What happens when width and height are both given and the proportions "
        "differ. inside: as large as fits, nothing is cut. cover: fills both, what stands out "
        "is cut evenly. pad: as inside, then filled up with the background. fill: stretched.",
    )
    quality: Quality | SkipJsonSchema[None] = Field(
        default=None,
        title="Quality",
        description="From 1 (small file) to 100 (closest to the original), for JPEG, WebP, AVIF "
        "and PDF. Left out: 85 for JPEG, 80 for WebP, 60 for AVIF, 90 inside PDF.",
        json_schema_extra=optional,
    )
    lossless: bool = Field(
        default=False,
        title="Lossless",
        description="Compress without loss, in WebP, AVIF and PDF; the file gets larger. Colours "
        "that the target cannot hold (of 16 bits, in CMYK, in an AVIF that moves) become the "
        "nearest that it can.",
    )
    background: Colour | SkipJsonSchema[None] = Field(
        default=None,
        title="Background",
        description="The colour behind transparent parts, as #rrggbb or a name such as white. "
        "Left out: formats that know transparency keep it, the others get white.",
        json_schema_extra=optional,
    )
    strip: bool = Field(
        default=False,
        title="Remove metadata",
        description="Remove what the camera and programs wrote into the file: place, time, "
        "device, author. The colour profile stays, because the colours depend on it.",
    )
    first_frame: bool = Field(
        default=False,
        title="First frame only",
        description="Take only the first frame of an animation, or the first page of a TIFF. "
        "Left out: pages become those of a PDF, or pictures in a zip.",
    )

    @field_validator("background", mode="before")
    @classmethod
    def _read_a_colour(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        text = given.strip().lower()
        if re.fullmatch(r"#[0-9a-f]{3}", text):
            return "#" + "".join(digit * 2 for digit in text[1:])
        return COLOURS.get(text, text)

    @model_validator(mode="after")
    def _choose_between_quality_and_lossless(self) -> "ImageOptions":
        if self.lossless and self.quality is not None:
            raise refusal("quality has no meaning when lossless is true: leave one of them out.")
        return self


IMAGE = Family(
    kind="image",
    convert="worker.converters.image:convert",
    trial="worker.converters.image:trial",
    sources=(
        "jpg",
        "png",
        "webp",
        "avif",
        "tiff",
        "gif",
        "heic",
        "svg",
        "bmp",
        "ico",
        "jp2",
        "psd",
        "tga",
        "qoi",
        "pnm",
    ),
    targets=("jpg", "png", "webp", "avif", "tiff", "gif", "bmp", "ico", "pdf"),
    options=ImageOptions,
    remark="HEIC is read and not written: what would write it is x265, which is under the GPL (see "
    "NOTICE).",
    default_targets={
        "heic": "jpg",
        "svg": "png",
        "png": "webp",
        "jpg": "webp",
        "webp": "png",
        "avif": "png",
        "tiff": "png",
        "gif": "webp",
        "bmp": "png",
        "ico": "png",
        "jp2": "jpg",
        "psd": "png",
        "tga": "png",
        "qoi": "png",
        "pnm": "png",
    },
    formats=(
        Format("jpg", "JPEG", "image/jpeg", ("jpg", "jpeg", "jpe", "jfif"), inline=True),
        Format("png", "PNG", "image/png", ("png", "apng"), inline=True),
        Format("webp", "WebP", "image/webp", ("webp",), inline=True),
        Format("avif", "AVIF", "image/avif", ("avif", "avifs"), inline=True),
        Format("tiff", "TIFF", "image/tiff", ("tiff", "tif")),
        Format("gif", "GIF", "image/gif", ("gif",), inline=True),
        Format("heic", "HEIC", "image/heic", ("heic", "heif", "heics", "hif")),
        Format("svg", "SVG", "image/svg+xml", ("svg",)),
        Format("bmp", "BMP", "image/bmp", ("bmp", "dib"), inline=True),
        Format("ico", "ICO", "image/vnd.microsoft.icon", ("ico",), inline=True),
        Format("jp2", "JPEG 2000", "image/jp2", ("jp2", "j2k", "jpf", "jpx", "j2c")),
        Format("psd", "Photoshop", "image/vnd.adobe.photoshop", ("psd", "psb")),
        Format("tga", "Targa", "image/x-tga", ("tga",)),
        Format("qoi", "QOI", "image/qoi", ("qoi",)),
        Format("pnm", "PNM", "image/x-portable-anymap", ("pnm", "ppm", "pgm", "pbm")),
        Format("pdf", "PDF", "application/pdf", ("pdf",)),
    ),
)
