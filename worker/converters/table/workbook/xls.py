"""Reads xls with calamine, and adds the errors in cells, which it leaves out."""

from collections.abc import Iterator
from typing import Any

import python_calamine as calamine

from worker.converters.table.cells import Cell, Row, Written
from worker.converters.table.refusal import blamed_on, damaged
from worker.converters.table.request import Request, counted
from worker.converters.table.workbook import biff, serial
from worker.converters.table.workbook.sheet import Tab, Tell

_TELL_EVERY = 1000


class Xls:
    """An xls file."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._looked = biff.look(request.source)
        self._damaged = damaged("xls")
        with blamed_on(self._damaged):
            self._book = request.keep(calamine.CalamineWorkbook.from_path(str(request.source)))
            listed = self._book.sheets_metadata
        self.tabs = [
            Tab(sheet.name, str(number), sheet.visible != calamine.SheetVisibleEnum.Visible)
            for number, sheet in enumerate(listed)
            if sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ]

    def rows(self, tab: Tab, tell: Tell) -> Iterator[Row]:
        with blamed_on(self._damaged):
            sheet = self._book.get_sheet_by_index(int(tab.key))
            height, left = sheet.total_height, (sheet.start or (0, 0))[1]
            found = sheet.iter_rows()
        faults = self._faults(int(tab.key))
        for number, cells in enumerate(found):
            row = [None] * left + [_cell(cell) for cell in cells]
            for at, fault in faults.get(number, {}).items():
                row += [None] * (at + 1 - len(row))
                row[at] = fault
            yield row
            if number % _TELL_EVERY == 0:
                tell(number / max(1, height))

    def _faults(self, number: int) -> dict[int, dict[int, str]]:
        starts = self._looked.starts
        found = self._looked.faults.get(starts[number], {}) if number < len(starts) else {}
        if found:
            count = sum(map(len, found.values()))
            self._request.note(
                f"In {counted(count, 'cell')} an error such as #DIV/0! was kept as text."
            )
        return found


def _cell(cell: Any) -> Cell:
    if cell == "":
        return None
    if isinstance(cell, float):
        return (
            int(cell) if cell.is_integer() and abs(cell) < 1e15 else Written(serial.shortest(cell))
        )
    return cell
