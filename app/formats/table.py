"""Tables: which formats turn into which, and the options of one such conversion."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from app.formats.encodings import NAMES, named
from app.formats.family import Family, Options
from app.formats.options import optional

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " ", "\\t": "\t"}
LONGEST_SHEET_NAME = 255

_DELIMITER = (
    "comma, semicolon, tab, pipe, space, or one character that is no letter, digit or quote"
)
_SENTENCES = {
    "encoding": f"encoding must be one of {', '.join(NAMES)}",
    "delimiter": f"delimiter must be {_DELIMITER}",
    "header": "header must be true or false",
    "sheet": "sheet must be the name of a sheet, its number from 1, or all",
    "types": "types must be text or auto",
    "result_delimiter": f"result_delimiter must be {_DELIMITER}, and of ASCII",
    "bom": "bom must be true or false",
    "split": "split must be true or false",
}

Delimiter = Annotated[str, Field(pattern=r"^[^A-Za-z0-9\"'\r\n\x00\x1e\x1f]$")]
# What writes a CSV takes one byte.
WrittenDelimiter = Annotated[
    str, Field(pattern=r"^[\x01-\x09\x0b\x0c\x0e-\x1d !#-&(-/:-@\[-`{-~]$")
]
SheetName = Annotated[str, Field(min_length=1, max_length=LONGEST_SHEET_NAME)]


class TableOptions(Options):
    """How one table becomes another."""

    # An encoding and a delimiter are read into one form of each, so that what a job's row keeps
    # is the same however they were written.
    sentences: ClassVar[dict[str, str]] = _SENTENCES
    subject: ClassVar[str] = "table conversions"

    encoding: Literal[NAMES] | SkipJsonSchema[None] = Field(  # type: ignore[valid-type]
        default=None,
        title="Encoding",
        description="In which encoding a CSV, TSV or JSON file is written, such as windows-1252. "
        "Left out: found from the file.",
        json_schema_extra=optional,
    )
    delimiter: Delimiter | SkipJsonSchema[None] = Field(
        default=None,
        title="Delimiter",
        description="What stands between the cells of a CSV or TSV file: comma, semicolon, tab, "
        "pipe, space or one character. Left out: found from the file.",
        json_schema_extra=optional,
    )
    header: bool | SkipJsonSchema[None] = Field(
        default=None,
        title="First row holds names",
        description="Whether the first row holds the names of the columns. "
        "Left out: it does unless it looks like the rows below it.",
        json_schema_extra=optional,
    )
    sheet: SheetName | SkipJsonSchema[None] = Field(
        default=None,
        title="Sheet",
        description="Which sheet of a workbook is converted: its name, its number from 1, or all. "
        "Left out: the first that is not hidden.",
        json_schema_extra=optional,
    )
    types: Literal["text", "auto"] = Field(
        default="text",
        title="Types",
        description="text: what is text stays text, 00123 and 1E5 too. auto: columns of text in "
        "which everything is a number, a date, or true and false become that; the result says "
        "which.",
    )
    result_delimiter: WrittenDelimiter | SkipJsonSchema[None] = Field(
        default=None,
        title="Delimiter of the result",
        description="What stands between the cells of a CSV result. "
        "Left out: a comma, or a tab in TSV.",
        json_schema_extra=optional,
    )
    bom: bool = Field(
        default=False,
        title="Byte order mark",
        description="Begin a CSV or TSV result with a byte order mark, which makes Excel read it "
        "as UTF-8.",
    )
    split: bool = Field(
        default=False,
        title="Split long tables",
        description="Write a table with more rows than a sheet of a workbook holds to several "
        "sheets. Left out: it is refused.",
    )

    @field_validator("encoding", mode="before")
    @classmethod
    def _read_an_encoding(cls, given: Any) -> Any:
        return named(given)

    @field_validator("delimiter", "result_delimiter", mode="before")
    @classmethod
    def _read_a_delimiter(cls, given: Any) -> Any:
        return DELIMITERS.get(given.lower(), given) if isinstance(given, str) else given

    @field_validator("sheet", mode="before")
    @classmethod
    def _read_a_number(cls, given: Any) -> Any:
        return str(given) if type(given) is int else given


_TARGETS = ("csv", "tsv", "xlsx", "json", "ndjson", "parquet", "arrow")
_ITSELF = ("csv", "tsv", "xlsx")  # another delimiter or encoding; one sheet of several

TABLE = Family(
    kind="table",
    convert="worker.converters.table:convert",
    trial="worker.converters.table:trial",
    sources=("csv", "tsv", "json", "ndjson", "xlsx", "xls", "ods", "parquet", "arrow", "feather"),
    targets=_TARGETS,
    narrowed={
        source: tuple(target for target in _TARGETS if target != source)
        for source in _TARGETS
        if source not in _ITSELF
    },
    options=TableOptions,
    default_targets={
        "csv": "xlsx",
        "tsv": "csv",
        "json": "csv",
        "ndjson": "csv",
        "xlsx": "csv",
        "xls": "xlsx",
        "ods": "xlsx",
        "parquet": "csv",
        "arrow": "parquet",
        "feather": "parquet",
    },
    remark="Text stays text: `00123`, `1E5` and dates come out as they went in, unless "
    "`types=auto` asks for more. Lists and objects inside of a cell, as JSON has them, are written "
    "as JSON text into every target but json and ndjson, so into parquet and arrow too, and the "
    "result says so; lists that parquet or arrow bring along stay lists in the other of the two. "
    "An xlsx holds 1,048,576 rows and 16,384 columns in a sheet and 32,767 characters in a cell; "
    "what exceeds that is refused, except that with `split` a long table goes on in more sheets.",
)
