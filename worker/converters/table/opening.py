"""Opens a source of any format as one table, or as one for each sheet that is wanted."""

from collections.abc import Sequence

from worker.converters.table.request import Request
from worker.converters.table.table import Named


def opened(request: Request) -> Sequence[Named]:
    """Return the tables of the source with their names; raises Refusal for what is none.

    A reader is imported where it is used: no cell needs two of them.
    """
    match request.source_format:
        case "csv" | "tsv":
            from worker.converters.table.delimited import Delimited

            return [("Sheet1", Delimited(request))]
        case "json" | "ndjson":
            from worker.converters.table.notation import Notation

            return [("Sheet1", Notation(request))]
        case "parquet" | "arrow":
            from worker.converters.table.columnar import Columnar

            return [("Sheet1", Columnar(request))]
        case "feather":
            from worker.converters.table.feather import Feather

            return [("Sheet1", Feather(request))]
        case _:
            from worker.converters.table.workbook.opening import sheets

            return sheets(request)
