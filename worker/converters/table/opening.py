"""Opens a source of any format as one table, or as one for each sheet that is wanted."""

from collections.abc import Sequence

from worker.converters import packed
from worker.converters.refusal import Refusal
from worker.converters.table.columnar import Columnar
from worker.converters.table.delimited import Delimited
from worker.converters.table.feather import Feather
from worker.converters.table.notation import Notation
from worker.converters.table.request import Request
from worker.converters.table.table import Table
from worker.converters.table.workbook.choosing import chosen
from worker.converters.table.workbook.ods import Ods
from worker.converters.table.workbook.sheet import EmptySheet, Sheet, Workbook
from worker.converters.table.workbook.xls import Xls
from worker.converters.table.workbook.xlsx import Xlsx

Named = tuple[str, Table]


def opened(request: Request) -> Sequence[Named]:
    """Return the tables of the source with their names; raises Refusal for what is none."""
    match request.source_format:
        case "csv" | "tsv":
            return [("Sheet1", Delimited(request))]
        case "json" | "ndjson":
            return [("Sheet1", Notation(request))]
        case "parquet" | "arrow":
            return [("Sheet1", Columnar(request))]
        case "feather":
            return [("Sheet1", Feather(request))]
        case _:
            return _sheets(request)


def _sheets(request: Request) -> Sequence[Named]:
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
