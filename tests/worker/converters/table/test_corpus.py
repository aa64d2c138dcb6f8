"""Real files that others made become every format that is offered for them."""

from pathlib import Path

import pytest

from app.formats.table import TABLE
from tests.worker.converters.table.conftest import Converting

pytestmark = pytest.mark.corpus

FILES = {
    "real-csv.csv": ("csv", 8, ["1", "Laptop", "Electronics", "999.99", "15"]),
    "shift-jis.csv": ("csv", 3, ["佐藤太郎", "30", "東京"]),
    "real-tsv.tsv": ("tsv", 891, ["1", "0", "3", "Braund, Mr. Owen Harris"]),
    "real-json.json": ("json", 4, ["101", "Alice Johnson", "Engineering", "95000"]),
    "real-jsonl.jsonl": ("ndjson", 8, ["1", "Laptop", "Electronics", "999.99", "15"]),
    "real-parquet.parquet": ("parquet", 1000, ["2016-02-03T07:55:29", "1", "Amanda", "Jordan"]),
    "real-feather.feather": ("feather", 1309, ["1", "1", "29", "0", "0", "1"]),
    "real-xls.xls": ("xls", 6, ["MA", "What C datatypes are 8 bits? (assume i386)", "int", ""]),
    "real-xlsx.xlsx": ("xlsx", 3, ["My Title", "2016.1.1", "6/16/16", "Farm subsidies"]),
    "real-ods.ods": ("ods", 390, ["2121", "456", "Jane", "2011", "84219.4973106866"]),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_real_file_becomes_everything_that_is_offered(
    converting: Converting, corpus: Path, name: str
) -> None:
    kind, rows, _ = FILES[name]

    for target in TABLE.targets_of(kind):
        result = converting(corpus / name, kind, target)
        assert result.facts["rows"] == rows
        assert len(result.texts) in (rows, rows + 1)


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_first_row_of_a_real_file_is_what_it_should_be(
    converting: Converting, corpus: Path, name: str
) -> None:
    kind, rows, first = FILES[name]

    result = converting(corpus / name, kind, "csv" if "csv" in TABLE.targets_of(kind) else "tsv")

    table = result.csv[-rows:]
    assert table[0][: len(first)] == first
