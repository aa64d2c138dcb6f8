"""Office documents: which formats turn into which, and the options of one such conversion."""

from typing import Annotated, Any, ClassVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from app.formats.family import Family, Needs, Options
from app.formats.options import optional
from app.formats.pdf import Pages, PdfOptions

_LONGEST_PASSWORD = 255

_SENTENCES = {
    "pages": PdfOptions.sentences["pages"],
    "archive": "archive must be true or false",
    "password": f"password must be a text of at most {_LONGEST_PASSWORD} characters",
}

Password = Annotated[str, Field(max_length=_LONGEST_PASSWORD, pattern=r"^[^\x00]+$")]


def _hidden(schema: dict[str, Any]) -> None:
    """Mark a field as one that is typed unseen and told to nobody."""
    optional(schema)
    schema.update(format="password", writeOnly=True)


class OfficeOptions(Options):
    """How one office document becomes another."""

    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "office conversions"
    secret: ClassVar[frozenset[str]] = frozenset({"password"})

    pages: Pages | SkipJsonSchema[None] = Field(
        default=None,
        title="Pages",
        description="Which pages (of a presentation: slides) get into the PDF, and in which "
        "order: 1-3,7,10- is the first three, the seventh, and all from the tenth on. Each is "
        "taken once. Left out: all. Only for PDF.",
        json_schema_extra=optional,
    )
    archive: bool = Field(
        default=False,
        title="For archives",
        description="Write PDF/A-2b, which holds everything that is needed to show it in many "
        "years, all fonts among it. Only for PDF.",
    )
    password: Password | SkipJsonSchema[None] = Field(
        default=None,
        title="Password",
        description="The password that opens the document, if it has one. The result has none. "
        "It is forgotten when the conversion has ended.",
        json_schema_extra=_hidden,
    )


TEXTS = ("docx", "doc", "odt", "rtf")
SHEETS = ("xlsx", "xls", "ods")
SLIDES = ("pptx", "ppt", "odp")
OLD = ("doc", "xls", "ppt")
LOCKED = "encrypted-office"  # a docx, xlsx or pptx under a password: which, only the password tells


def _each_other(*groups: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Every format of a group becomes PDF and the others of its group, and none of another."""
    return {
        source: ("pdf", *(target for target in group if target != source))
        for group in groups
        for source in group
    }


OFFICE = Family(
    kind="office",
    convert="worker.converters.office:convert",
    trial="worker.converters.office:trial",
    sources=(*TEXTS, *SHEETS, *SLIDES, LOCKED),
    targets=("pdf", *TEXTS, *SHEETS, *SLIDES),
    narrowed=_each_other(TEXTS, SHEETS, SLIDES) | {LOCKED: ("pdf", "docx", "xlsx", "pptx")},
    options=OfficeOptions,
    default_targets=dict.fromkeys((*TEXTS, *SHEETS, *SLIDES, LOCKED), "pdf"),
    remark="A sheet of an xls ends with row 65,536 and column 256, of all others with row "
    "1,048,576 and column 16,384; a cell of an xls or xlsx ends with character 32,767. LibreOffice "
    "would leave out the rest without a word, so such a workbook is refused. What a document shows "
    "from elsewhere, on a disk or in the web, is not fetched, and the result says so.",
    needs=Needs(
        reads=(
            "/etc/libreoffice",
            "/usr/lib/libreoffice",
            "/var/lib/libreoffice",
            "/var/spool/libreoffice",
        ),
    ),
)
