"""PDF documents: what they turn into, and the options of one such conversion."""

import re
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from app.formats.family import Family
from app.formats.options import Options, optional

DPI = 150
FEWEST_DPI, MOST_DPI = 10, 1200
PASSWORD_LENGTH = 500

_RANGES = re.compile(r"\d{1,9}(-(\d{1,9})?)?(,\d{1,9}(-(\d{1,9})?)?)*", re.ASCII)
_SENTENCES = {
    "pages": "pages must be page numbers from 1 on and ascending ranges, such as 1-3,7,10-",
    "dpi": f"dpi must be a whole number from {FEWEST_DPI} to {MOST_DPI}",
    "quality": "quality must be a whole number from 1 to 100",
    "transparent": "transparent must be true or false",
    "password": f"password must be a text of at most {PASSWORD_LENGTH} printable characters",
}

Range = tuple[int, int | None]


def ranges(pages: str) -> list[Range]:
    """Return the first and last page of each part of "1-3,7,10-"; None stands for the last page."""
    return [_range(part) for part in pages.split(",")]


def _range(part: str) -> Range:
    first, dash, last = part.partition("-")
    if not dash:
        return int(first), int(first)
    return int(first), int(last) if last else None


def _written_tightly(given: Any) -> Any:
    """Take a single number too, and leave out the space around commas and dashes."""
    if not isinstance(given, str | int):
        return given
    return re.sub(r"\s*([,-])\s*", r"\1", str(given).strip())


def _ascending(pages: str) -> str:
    if not _RANGES.fullmatch(pages):
        raise ValueError(pages)
    for first, last in ranges(pages):
        if first < 1 or (last is not None and last < first):
            raise ValueError(pages)
    return pages


def _hidden(schema: dict[str, Any]) -> None:
    optional(schema)
    schema.update(format="password", writeOnly=True)


Pages = Annotated[
    str, Field(max_length=500), BeforeValidator(_written_tightly), AfterValidator(_ascending)
]
Dpi = Annotated[int, Field(ge=FEWEST_DPI, le=MOST_DPI)]
Quality = Annotated[int, Field(ge=1, le=100)]
Password = Annotated[str, Field(max_length=PASSWORD_LENGTH, pattern=r"^[^\x00-\x1f\x7f]+$")]


class PdfOptions(Options):
    """How a PDF becomes pictures, text or another PDF."""

    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "PDF conversions"
    secret: ClassVar[frozenset[str]] = frozenset({"password"})

    pages: Pages | SkipJsonSchema[None] = Field(
        default=None,
        title="Pages",
        description="Which pages, and in which order: 1-3,7,10- is the first three, the seventh, "
        "and all from the tenth on. Each page is taken once. Left out: all.",
        json_schema_extra=optional,
    )
    dpi: Dpi = Field(
        default=DPI,
        title="Resolution",
        description="Dots per inch of the pictures: 150 reads well on a screen, 300 prints well. "
        "A page that would get too large is drawn with fewer.",
    )
    quality: Quality | SkipJsonSchema[None] = Field(
        default=None,
        title="Quality",
        description="From 1 (small file) to 100 (closest to the original), for JPEG and WebP. "
        "Left out: 85 for JPEG, 80 for WebP.",
        json_schema_extra=optional,
    )
    transparent: bool = Field(
        default=False,
        title="Without paper",
        description="Leave out the white of the paper, in PNG and WebP: "
        "what nothing is printed on can be seen through.",
    )
    password: Password | SkipJsonSchema[None] = Field(
        default=None,
        repr=False,
        title="Password",
        description="What opens the document, if it is locked. It is forgotten when the "
        "conversion has ended.",
        json_schema_extra=_hidden,
    )


PDF = Family(
    kind="pdf",
    convert="worker.converters.pdf:convert",
    trial="worker.converters.pdf:trial",
    sources=("pdf",),
    targets=("png", "jpg", "webp", "txt", "pdf"),
    options=PdfOptions,
    default_targets={"pdf": "png"},
)
