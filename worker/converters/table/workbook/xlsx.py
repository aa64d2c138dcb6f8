"""Reads xlsx (ECMA-376 part 1, clause 18): cached values, dates, errors, every digit."""

from collections.abc import Iterator

from worker.converters.table.cells import Row
from worker.converters.table.request import Request, counted
from worker.converters.table.workbook import serial
from worker.converters.table.workbook.grid import Grid
from worker.converters.table.workbook.markup import parse, read_all
from worker.converters.table.workbook.package import opened, relations, target_of
from worker.converters.table.workbook.parts import Styles, Texts, Workbook
from worker.converters.table.workbook.sheet import Tab, Tell


class Xlsx:
    """An xlsx file."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._package = request.keep(opened(request.source))
        main = target_of(relations(self._package, ""), "officeDocument") or "xl/workbook.xml"
        self._relations = relations(self._package, main)
        listed = Workbook()
        read_all(self._package, main, listed)
        self._starts_1904 = listed.starts_1904
        self.tabs = [
            Tab(name, self._relations[key][1], is_hidden)
            for name, key, is_hidden in listed.sheets
            if key in self._relations and self._relations[key][0] == "worksheet"
        ]
        self._texts = self._read_texts()
        self._formats = self._read_formats()

    def rows(self, tab: Tab, tell: Tell) -> Iterator[Row]:
        reader = Grid(self._texts, self._formats, starts_1904=self._starts_1904)
        for _ in parse(self._package, tab.key, reader, tell):
            yield from reader.rows
            reader.rows.clear()
        self._warn(reader)

    def _warn(self, reader: Grid) -> None:
        if reader.unknown:
            self._request.note(
                f"{counted(reader.unknown, 'formula')} without a stored result left empty cells. "
                "Open and save the workbook in a spreadsheet program, and send it again."
            )
        if reader.faults:
            self._request.note(
                f"In {counted(reader.faults, 'cell')} an error such as #DIV/0! was kept as text."
            )

    def _read_texts(self) -> list[str]:
        part = target_of(self._relations, "sharedStrings")
        if part is None:
            return []
        reader = Texts()
        read_all(self._package, part, reader)
        return reader.texts

    def _read_formats(self) -> list[serial.Meaning]:
        part = target_of(self._relations, "styles")
        if part is None:
            return []
        reader = Styles()
        read_all(self._package, part, reader)
        return [serial.meaning(number, reader.codes.get(number)) for number in reader.used]
