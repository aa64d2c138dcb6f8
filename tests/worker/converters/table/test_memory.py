"""A table of any size is converted in little memory: it goes through, and is never held."""

from pathlib import Path

import pytest

from tests.long import TIMES, some
from tests.python import python

MANY = 3 if TIMES == 1 else 20  # times the rows
MIB = 1024**2

CELL = 300
PLAIN = ",".join(letter * CELL for letter in "xyz") + "\n"
SOURCES = {
    "plain": PLAIN,
    "quoted": f'"{"x" * CELL}","{"y" * CELL}""y",{"z" * CELL}\n',
    "ragged": PLAIN + ",".join(letter * CELL for letter in "xy") + "\n",
}
CODE = """
from pathlib import Path
from worker.converters.table import convert
from worker.converters.limits import Limits
from worker.outcome import Converted
for name in ("few", "many"):
    place = Path({place!r})
    made = convert(
        place / f"{{name}}.csv", place / "output.{target}", source_format="csv",
        target_format="{target}", options={{}}, limits=Limits(), progress=lambda *_: None,
    )
    assert isinstance(made, Converted), made
    print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
"""


@pytest.mark.parametrize(
    ("source", "target", "megabytes"),
    some(
        [
            ("plain", "parquet", 60),
            ("plain", "arrow", 60),
            ("plain", "ndjson", 30),
            ("plain", "json", 30),
            ("plain", "xlsx", 15),
            ("quoted", "tsv", 30),
            ("ragged", "csv", 40),
        ],
        each=2,
    ),
)
def test_memory_does_not_grow_with_the_table(
    tmp_path: Path, source: str, target: str, megabytes: int
) -> None:
    """Three times the megabytes take much less than these two times more; GBs at length."""
    for name, times in (("few", 1), ("many", MANY)):
        rows = SOURCES[source]
        (tmp_path / f"{name}.csv").write_text(
            "a,b,c\n" + rows * (times * megabytes * MIB // len(rows))
        )
    few, many = map(int, python(CODE.format(place=str(tmp_path), target=target)).split())
    assert (many - few) * 1024 < megabytes * MIB * 1.2
