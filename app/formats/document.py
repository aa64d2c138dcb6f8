"""Written documents: which formats turn into which, and the options of one such conversion."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from app.formats.encodings import NAMES, named
from app.formats.family import Family, Needs, Options
from app.formats.options import optional

FORMATS = ("md", "html", "docx", "odt", "epub", "rst", "org", "tex", "ipynb", "rtf", "txt")

_SENTENCES = {
    "toc": "toc must be true or false",
    "number_sections": "number_sections must be true or false",
    "paper": "paper must be a4, a5, letter or legal",
    "margin": "margin must be a whole number of millimetres from 0 to 80",
    "font_size": "font_size must be a number of points from 6 to 36",
    "wrap": "wrap must be a whole number of characters from 20 to 400",
    "encoding": f"encoding must be one of {', '.join(NAMES)}",
}


class DocumentOptions(Options):
    """How one written document becomes another."""

    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "document conversions"

    toc: bool = Field(
        default=False,
        title="Table of contents",
        description="Put a table of contents, made from the headings, at the start; not in Org "
        "texts and notebooks.",
    )
    number_sections: bool = Field(
        default=False,
        title="Number the sections",
        description="Put 1, 1.1, 1.2 and so on before the headings, in web pages, Word documents, "
        "EPUB, reStructuredText, LaTeX and PDF.",
    )
    paper: Literal["a4", "a5", "letter", "legal"] = Field(
        default="a4",
        title="Paper",
        description="The size of a page, for PDF and LaTeX.",
    )
    margin: Annotated[int, Field(ge=0, le=80)] | SkipJsonSchema[None] = Field(
        default=None,
        title="Margin",
        description="Millimetres on each side of a page, for PDF. Left out: 25.",
        json_schema_extra=optional,
    )
    font_size: Annotated[float, Field(ge=6, le=36)] | SkipJsonSchema[None] = Field(
        default=None,
        title="Font size",
        description="Points, for PDF. Left out: 11.",
        json_schema_extra=optional,
    )
    wrap: Annotated[int, Field(ge=20, le=400)] | SkipJsonSchema[None] = Field(
        default=None,
        title="Line length",
        description="Break lines after so many characters, for text formats such as Markdown. "
        "Left out: a paragraph is one line.",
        json_schema_extra=optional,
    )
    encoding: Literal[NAMES] | SkipJsonSchema[None] = Field(  # type: ignore[valid-type]
        default=None,
        title="Encoding",
        description="How the characters of a text file are stored, such as windows-1251. "
        "Left out: it is found out.",
        json_schema_extra=optional,
    )

    @field_validator("encoding", mode="before")
    @classmethod
    def _read_a_name(cls, given: Any) -> Any:
        return named(given)


_TARGETS = (*FORMATS, "pdf")


def _most_runs(source: str, target: str) -> int:
    """Return how often pandoc runs at most: each run that may come waits in a process of its own.

    Once more for reStructuredText that takes in tables of other files, and once more for pages
    that cannot be set as they are.
    """
    return 1 + (source == "rst") + (target == "pdf")


DOCUMENT = Family(
    kind="document",
    convert="worker.converters.document:convert",
    trial="worker.converters.document:trial",
    sources=FORMATS,
    targets=_TARGETS,
    narrowed={one: (*(other for other in FORMATS if other != one), "pdf") for one in FORMATS},
    options=DocumentOptions,
    default_targets={
        "md": "html",
        "html": "pdf",
        "docx": "pdf",
        "odt": "pdf",
        "epub": "pdf",
        "rst": "html",
        "org": "html",
        "tex": "pdf",
        "ipynb": "html",
        "rtf": "docx",
        "txt": "pdf",
    },
    needs=Needs(programs=3),
    lighter={(one, to): Needs(programs=_most_runs(one, to)) for one in FORMATS for to in _TARGETS},
)
