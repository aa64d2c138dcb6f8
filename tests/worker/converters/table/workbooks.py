"""Small workbooks: xlsx by XlsxWriter, xls and ods by hand."""

import io
import struct
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import xlsxwriter

Cell = Any
_FORMATS = {
    datetime: "yyyy-mm-dd hh:mm:ss",
    date: "yyyy-mm-dd",
    time: "hh:mm",
    timedelta: "[h]:mm:ss",
}


class Fault(str):
    """An error in a cell, such as #DIV/0!."""

    __slots__ = ()


def xlsx(*sheets: Sequence[Sequence[Cell]], names: Sequence[str] = (), **options: Any) -> bytes:
    """Return a workbook with these sheets; `hidden` is the name of one that cannot be seen."""
    out = io.BytesIO()
    hidden = options.pop("hidden", None)
    with xlsxwriter.Workbook(out, {"strings_to_formulas": False, **options}) as book:
        formats = {kind: book.add_format({"num_format": code}) for kind, code in _FORMATS.items()}
        for number, rows in enumerate(sheets):
            name = names[number] if number < len(names) else None
            sheet = book.add_worksheet(name)
            for down, row in enumerate(rows):
                for across, cell in enumerate(row):
                    _write(sheet, down, across, cell, formats)
            if name is not None and name == hidden:
                sheet.hide()
                book.worksheets()[number - 1].activate()
    return out.getvalue()


def _write(sheet: Any, down: int, across: int, cell: Cell, formats: dict[type, Any]) -> None:
    if isinstance(cell, Fault):
        sheet.write_formula(down, across, "=1/0", None, str(cell))
    elif isinstance(cell, str):
        sheet.write_string(down, across, cell)
    elif type(cell) in formats:
        sheet.write_datetime(down, across, cell, formats[type(cell)])
    elif cell is not None:
        sheet.write(down, across, cell)


def patched(package: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a package in which one part is another."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return out.getvalue()


_ODS = (
    "<office:document-content"
    ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">'
    "<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
    "</office:document-content>"
)


def ods(*sheets: Sequence[Sequence[Cell]], raw: str = "", manifest: str = "") -> bytes:
    """Return an OpenDocument spreadsheet; `raw` is the markup of more rows of the last sheet."""
    tables = ""
    for number, rows in enumerate(sheets, start=1):
        body = "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}" + _ROW for row in rows)
        more = raw if number == len(sheets) else ""
        tables += f'<table:table table:name="Sheet{number}">{body}{more}</table:table>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("content.xml", _ODS.format(sheets=tables))
        if manifest:
            package.writestr("META-INF/manifest.xml", manifest)
    return out.getvalue()


_ROW = "</table:table-row>"


def _ods_cell(cell: Cell) -> str:
    match cell:
        case None:
            return "<table:table-cell/>"
        case Fault():
            kind = 'office:value-type="string" calcext:value-type="error"'
            return f"<table:table-cell {kind}><text:p>{cell}</text:p></table:table-cell>"
        case str():
            lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in cell.split("\n"))
            return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
        case bool():
            value = f'"boolean" office:boolean-value="{str(cell).lower()}"'
        case datetime() | date():
            value = f'"date" office:date-value="{cell.isoformat()}"'
        case time():
            value = f'"time" office:time-value="PT{cell.hour:02}H{cell.minute:02}M00S"'
        case timedelta():
            value = f'"time" office:time-value="PT{int(cell.total_seconds()) // 3600}H00M00S"'
        case _:
            value = f'"float" office:value={quoteattr(str(cell))}'
    return f"<table:table-cell office:value-type={value}><text:p>shown</text:p></table:table-cell>"


_FAULT_CODES = {"#DIV/0!": 0x07, "#N/A": 0x2A, "#REF!": 0x17}
_LOCK = (0x002F, struct.pack("<HHHH", 1, 1, 1, 4) + bytes(48))


def xls(
    *sheets: Sequence[Sequence[Cell]], is_locked: bool = False, by_formula: bool = False
) -> bytes:
    """Return an Excel 97 workbook; its errors are constants or results of formulas."""
    bodies = [_xls_sheet(rows, by_formula=by_formula) for rows in sheets]
    head = _record(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 1997, 0, 6))
    head += _record(*_LOCK) if is_locked else b""
    head += b"".join(_record(0x00E0, struct.pack("<HH", 0, code) + bytes(16)) for code in (0, 14))
    names = [f"Sheet{number}" for number in range(1, len(sheets) + 1)]
    start = len(head) + sum(4 + 8 + len(name) for name in names) + 4
    listed = b""
    for name, body in zip(names, bodies, strict=True):
        listed += _record(0x0085, struct.pack("<IHBB", start, 0, len(name), 0) + name.encode())
        start += len(body)
    return compound(Workbook=head + listed + _record(0x000A, b"") + b"".join(bodies))


def _xls_sheet(rows: Sequence[Sequence[Cell]], *, by_formula: bool) -> bytes:
    width = max(map(len, rows), default=0)
    body = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x10, 0, 1997, 0, 6))
    body += _record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, width, 0))
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            body += _xls_cell(down, across, cell, by_formula=by_formula)
    return body + _record(0x000A, b"")


def _xls_cell(down: int, across: int, cell: Cell, *, by_formula: bool) -> bytes:
    place = struct.pack("<HHH", down, across, 1 if isinstance(cell, date) else 0)
    match cell:
        case None:
            return b""
        case Fault() if by_formula:
            result = struct.pack("<BBBBHH", 2, 0, _FAULT_CODES[cell], 0, 0, 0xFFFF)
            return _record(0x0006, place + result + struct.pack("<HIH", 0, 0, 3) + b"\x1e\1\0")
        case Fault():
            return _record(0x0205, place + bytes((_FAULT_CODES[cell], 1)))
        case str():
            text = cell.encode("utf-16-le")
            return _record(0x0204, place + struct.pack("<HB", len(text) // 2, 1) + text)
        case bool():
            return _record(0x0205, place + bytes((cell, 0)))
        case date():
            days = (cell - date(1899, 12, 30)).days
            return _record(0x0203, place + struct.pack("<d", days))
        case _:
            return _record(0x0203, place + struct.pack("<d", cell))


def _record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def compound(**streams: bytes) -> bytes:
    """Return a compound file with these streams in its root, each in sectors of its own."""
    placed = {name.replace("_", " "): data.ljust(4096, b"\0") for name, data in streams.items()}
    sectors: list[bytes] = []
    chain: list[int] = []
    starts: dict[str, int] = {}
    for name, data in placed.items():
        parts = [data[at : at + 512].ljust(512, b"\0") for at in range(0, len(data), 512)]
        starts[name] = len(sectors)
        chain += [*range(len(sectors) + 1, len(sectors) + len(parts)), 0xFFFFFFFE]
        sectors += parts
    entries = [_entry("Root Entry", 5, child=1, start=0xFFFFFFFE, size=0)]
    for number, (name, data) in enumerate(placed.items(), start=1):
        right = number + 1 if number < len(placed) else 0xFFFFFFFF
        entries.append(_entry(name, 2, right=right, start=starts[name], size=len(data)))
    directory = b"".join(entries).ljust(512, b"\0")
    first = len(sectors)
    parts = [directory[at : at + 512].ljust(512, b"\0") for at in range(0, len(directory), 512)]
    chain += [*range(first + 1, first + len(parts)), 0xFFFFFFFE]
    sectors += parts
    maps = -(-(len(chain) + 1) // 127)
    chain += [0xFFFFFFFD] * maps
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(maps * 512, b"\xff")
    places = [len(sectors) + number for number in range(maps)]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, maps, first, 0, 4096,
                        0xFFFFFFFE, 0, 0xFFFFFFFE, 0)  # fmt: skip
    head += struct.pack(f"<{len(places)}I", *places)
    return head.ljust(512, b"\xff") + b"".join(sectors) + table


def _entry(
    name: str, kind: int, *, start: int, size: int, right: int = 0xFFFFFFFF, child: int = 0xFFFFFFFF
) -> bytes:
    text = name.encode("utf-16-le") + b"\0\0"
    tree = struct.pack("<HBBIII", len(text), kind, 1, 0xFFFFFFFF, right, child)
    return text.ljust(64, b"\0") + tree + bytes(36) + struct.pack("<IQ", start, size)
