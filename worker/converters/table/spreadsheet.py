"""Writes xlsx (ECMA-376) row by row: each value as what it is, nothing as a formula."""

import re
import zipfile
from collections.abc import Iterator, Sequence
from itertools import chain, count
from xml.sax.saxutils import quoteattr

from worker.converters.refusal import Refusal
from worker.converters.table.cellmarkup import CellWriter
from worker.converters.table.request import Request
from worker.converters.table.table import Block, Named, Table

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_LEVEL = 4  # twice as fast as the usual 6, and hardly larger
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f\ufffe\uffff]")
_LONGEST_NAME = 31


def write_workbook(tables: Sequence[Named], request: Request) -> None:
    """Write one sheet for each table; a longer one gets several if the options say so."""
    with zipfile.ZipFile(
        request.target, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL
    ) as package:
        sheets = _Sheets(package, request)
        for name, table in tables:
            if len(table.names) > MOST_COLUMNS:
                raise Refusal(
                    "too_many_columns",
                    f"The table has {len(table.names):,} columns; a sheet of an Excel workbook "
                    f"holds {MOST_COLUMNS:,}. Choose csv, parquet or another target format.",
                )
            sheets.write(name, table)
        for place, content in _frame(sheets.names).items():
            package.writestr(place, content)


class _Sheets:
    """The sheets that have been written."""

    def __init__(self, package: zipfile.ZipFile, request: Request) -> None:
        self.names: list[str] = []
        self._package = package
        self._request = request
        self._writer = CellWriter(request)

    def write(self, name: str, table: Table) -> None:
        blocks = _Rows(table.blocks())
        if not self.names:
            named = [table.names] if table.has_names else []
            self._request.show(chain(named, blocks.first()))
        is_first = True
        while is_first or blocks.has_more():
            if not is_first:
                self._begin_another(name)
            self._write_one(name, table, blocks)
            is_first = False

    def _begin_another(self, name: str) -> None:
        if not self._request.wish.split:
            raise Refusal(
                "too_many_rows",
                f"The table has more rows than the {MOST_ROWS:,} that a sheet of an Excel "
                "workbook holds. Send it again with split=true for several sheets, or choose csv, "
                "parquet or another target format.",
            )
        self._request.note(
            f"{name} has more rows than a sheet holds ({MOST_ROWS:,}) and goes on in the next."
        )

    def _write_one(self, name: str, table: Table, rows: "_Rows") -> None:
        self.names.append(_fitting(name, self.names))
        place = f"xl/worksheets/sheet{len(self.names)}.xml"
        room = MOST_ROWS
        with self._package.open(place, "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            number = 1
            if table.has_names:
                sheet.write(self._writer.rows([table.names], number, table.names))
                number, room = 2, room - 1
            for block in rows.take(room):
                sheet.write(self._writer.rows(block, number, table.names))
                number += len(block)
            sheet.write(_FOOT.encode())


class _Rows:
    """Blocks of rows, cut where a sheet is full."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._next: Block = []

    def has_more(self) -> bool:
        while not self._next:
            block = next(self._blocks, None)
            if block is None:
                return False
            self._next = block
        return True

    def first(self) -> Block:
        """Return the block that comes next, and leave it there."""
        return self._next if self.has_more() else []

    def take(self, room: int) -> Iterator[Block]:
        while room and self.has_more():
            block, self._next = self._next[:room], self._next[room:]
            room -= len(block)
            yield block


# Text that looks like a number is meant so; without this Excel marks each such cell as a mistake.
_FOOT = (
    '</sheetData><ignoredErrors><ignoredError sqref="A1:XFD1048576" numberStoredAsText="1"/>'
    "</ignoredErrors></worksheet>"
)


def _fitting(name: str, taken: Sequence[str]) -> str:
    """Return a name that Excel takes: short, without some signs, and not there yet."""
    plain = _FORBIDDEN.sub("_", name).strip("'")[:_LONGEST_NAME] or "Sheet"
    lower = {one.lower() for one in taken}
    found = plain
    for number in count(2):
        if found.lower() not in lower:
            break
        ending = f" ({number})"
        found = plain[: _LONGEST_NAME - len(ending)] + ending
    return found


def _frame(names: Sequence[str]) -> dict[str, str]:
    """Return the parts around the sheets."""
    numbers = range(1, len(names) + 1)
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, names, strict=True)
    )
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" '
        f'ContentType="{_TYPE}.worksheet+xml"/>'
        for number in numbers
    )
    relations = [
        *((f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml") for number in numbers),
        ("rIdStyles", "styles", "styles.xml"),
    ]
    return {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{types}</Types>',
        "_rels/.rels": _relations([("rId1", "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        f"<sheets>{sheets}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(relations),
        "xl/styles.xml": _styles(),
    }


def _relations(found: Sequence[tuple[str, str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{part}"/>'
        for key, kind, part in found
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _styles() -> str:
    """Return the styles: 0 for numbers and text, then date, moment, time and span."""
    codes = ("yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd\\ hh:mm:ss", "hh:mm:ss", "[h]:mm:ss")
    formats = "".join(
        f'<numFmt numFmtId="{164 + at}" formatCode="{code}"/>' for at, code in enumerate(codes)
    )
    used = "".join(
        f'<xf numFmtId="{number}" fontId="0" fillId="0" borderId="0" xfId="0" '
        'applyNumberFormat="1"/>'
        for number in (0, *range(164, 164 + len(codes)))
    )
    return (
        f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts count="{len(codes)}">{formats}</numFmts>'
        '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        f'</cellStyleXfs><cellXfs count="{len(codes) + 1}">{used}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
        "</styleSheet>"
    )
