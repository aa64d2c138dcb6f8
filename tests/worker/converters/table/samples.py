"""One small table in every format that is a source here, made by others or by hand."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from tests.worker.converters.table.feathers import feather
from tests.worker.converters.table.workbooks import ods, xls, xlsx

MAKERS: dict[str, Callable[..., bytes]] = {"xlsx": xlsx, "xls": xls, "ods": ods}
HEADER = ["name", "city"]
ROWS = [["Zoë", "Zürich"], ["00123", "東京"], ["a,b", "line\nbreak"], ["=1+1", "1E5"]]


def sample(kind: str) -> bytes:
    """Return the table in this format."""
    frame = pl.DataFrame(dict(zip(HEADER, zip(*ROWS, strict=True), strict=True)))
    objects = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    out = io.BytesIO()
    match kind:
        case "csv" | "tsv":
            delimiter = "," if kind == "csv" else "\t"
            lines = [delimiter.join(f'"{cell}"' for cell in row) for row in [HEADER, *ROWS]]
            return "\r\n".join(lines).encode()
        case "json":
            return json.dumps(objects, indent=2).encode()
        case "ndjson":
            return "\n".join(map(json.dumps, objects)).encode()
        case "parquet":
            frame.write_parquet(out)
        case "arrow":
            frame.write_ipc(out)
        case "feather":
            columns = zip(*ROWS, strict=True)
            return feather({n: ("text", c) for n, c in zip(HEADER, columns, strict=True)})
        case _:
            return MAKERS[kind]([HEADER, *ROWS])
    return out.getvalue()


def write_with_a_gap(place: Path, made: bytes, gap: int) -> None:
    """Write nothing, for so many bytes, between the rows of a file and the footer that finds them.

    The footer's length stands behind it, before the mark with which the file ends.
    """
    mark = 4 if made.endswith(b"PAR1") else 6
    length = int.from_bytes(made[-mark - 4 : -mark], "little")
    start = len(made) - mark - 4 - length
    with place.open("wb") as file:
        file.write(made[:start])
        file.seek(gap, io.SEEK_CUR)
        file.write(made[start:])
