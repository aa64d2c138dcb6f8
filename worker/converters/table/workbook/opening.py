"""Opens a workbook as one table, or as one for each sheet that is wanted."""

from collections.abc import Sequence

from worker.converters import packed
from worker.converters.refusal import Refusal
from worker.converters.table.request import Request
from worker.converters.table.table import Named
from worker.converters.table.workbook.choosing import chosen
from worker.converters.table.workbook.ods import Ods
from worker.converters.table.workbook.sheet import EmptySheet, Sheet, Workbook
from worker.converters.table.workbook.xls import Xls
from worker.converters.table.workbook.xlsx import Xlsx


def sheets(request: Request) -> Sequence[Named]:
    """Return the sheets that are wanted with their names; raises Refusal if there are none."""
    book = _book(request)
    tabs = chosen(book.tabs, request)
    if len(tabs) == 1:
        return [(tabs[0].name, Sheet(request, book, tabs[0]))]
    found: list[Named] = []
    for tab in tabs:
        try:
            found.append((tab.name, Sheet(request, book, tab)))
        except EmptySheet:
            request.note(f"The sheet {tab.name!r} is empty and was left out.")
    if not found:
        raise Refusal("corrupt_input", "Every sheet of the workbook is empty.")
    return found


def _book(request: Request) -> Workbook:
    if request.source_format == "xls":
        return Xls(request)
    if refused := packed.check(request.source, limits=request.limits):
        raise Refusal(refused.code, refused.detail or "")
    return Xlsx(request) if request.source_format == "xlsx" else Ods(request)
