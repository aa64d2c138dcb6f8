"""Every pair that GET /formats lists really converts, and what is no such file is refused."""

import io
from typing import Any

import polars as pl
import pytest

from app.formats.recognise import recognise
from app.formats.table import TABLE
from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.samples import HEADER, ROWS, sample
from tests.worker.converters.table.workbooks import ods, xlsx

BINARY = ("xlsx", "xls", "ods", "parquet", "arrow", "feather")


@pytest.mark.parametrize(("source", "target"), sorted(TABLE.pairs))
def test_every_pair_keeps_every_cell(converting: Converting, source: str, target: str) -> None:
    result = converting(sample(source), source, target)

    assert result.texts == [HEADER, *ROWS]
    assert result.facts["rows"] == len(ROWS)
    assert result.facts["notes"] == []


@pytest.mark.parametrize("target", TABLE.targets)
def test_the_first_rows_are_told_of_what_no_browser_reads(
    converting: Converting, target: str
) -> None:
    lines = [[f"{row}-{column}" for column in range(20)] for row in range(20)]
    lines[1][0] = "x" * 1000
    content = "\n".join(",".join(line) for line in lines).encode()

    told = converting(content, "csv", target).facts.get("first_rows")

    if target in {"xlsx", "parquet", "arrow"}:
        assert told == [[cell[:40] for cell in line[:8]] for line in lines[:8]]
    else:
        assert told is None


@pytest.mark.parametrize("target", TABLE.targets)
def test_a_result_is_recognised_as_what_it_should_be(converting: Converting, target: str) -> None:
    made = converting(sample("csv"), "csv", target).content

    assert recognise(made) == target


@pytest.mark.parametrize("source", BINARY)
@pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256)) * 40, sample("csv")])
def test_nonsense_is_refused(converting: Converting, source: str, content: bytes) -> None:
    assert converting(content, source, "csv").refused.code == "corrupt_input"


@pytest.mark.parametrize("source", BINARY)
@pytest.mark.parametrize("other", BINARY)
def test_another_format_under_this_name_is_refused(
    converting: Converting, source: str, other: str
) -> None:
    if source != other:
        assert converting(sample(other), source, "csv").refused.code == "corrupt_input"


@pytest.mark.parametrize("source", BINARY)
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9, 0.99])
def test_a_file_that_ends_early_is_refused(
    converting: Converting, source: str, kept: float
) -> None:
    whole = sample(source)

    refused = converting(whole[: int(len(whole) * kept)], source, "csv").refused

    assert refused.code == "corrupt_input"


@pytest.mark.parametrize("missing", [1, 3, 511, 512, 513, 700])
def test_an_old_workbook_that_lacks_its_last_bytes_is_refused(
    converting: Converting, missing: int
) -> None:
    """Calamine panics, in Rust, on a last sector that is no whole one."""
    assert converting(sample("xls")[:-missing], "xls", "csv").refused.code == "corrupt_input"


def test_progress_grows_and_names_its_stages(converting: Converting) -> None:
    content = "a,b\n" + "".join(f"{number},{'x' * 200}\n" for number in range(200_000))

    stages = converting(content, "csv", "json", types="auto").stages

    values = [value for value, _ in stages]
    assert values == sorted(values)
    assert len({round(value, 3) for value in values}) >= 10
    assert max(values) < 1
    assert list(dict.fromkeys(stage for _, stage in stages)) == [
        "reading", "finding types", "writing",
    ]  # fmt: skip


@pytest.mark.parametrize("source", ["ndjson", "xlsx", "ods", "parquet"])
def test_every_kind_of_source_tells_how_far_it_is(converting: Converting, source: str) -> None:
    rows: list[list[Any]] = [["a", "b"], *([number, number * 7919] for number in range(15_000))]
    match source:
        case "ods":
            made = ods(rows)
        case "xlsx":
            made = xlsx(rows)
        case "ndjson":
            made = b'{"a": "some text of some length", "b": 1234567}\n' * 30_000
        case _:
            out = io.BytesIO()
            pl.DataFrame({"a": range(1_000_000), "b": range(1_000_000)}).write_parquet(out)
            made = out.getvalue()

    stages = converting(made, source, "csv").stages

    values = [value for value, _ in stages]
    assert values == sorted(values)
    assert len(set(values)) >= 5
