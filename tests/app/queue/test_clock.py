"""Claims, beats, sweeps and records ask no clock but the database's."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *(ROOT / "app" / "queue").glob("**/*.py"),
        *(ROOT / "worker" / f"{name}.py" for name in ("sweep", "beat", "record")),
    )
)
# What of these modules tells the time. `datetime` as a type of columns may be imported.
CLOCKS = {"now", "utcnow", "today", "localtime", "gmtime", "time", "time_ns", "clock_gettime"}
DATABASE = "func"


def asked(source: str) -> list[str]:
    """Return where a source asks a clock of Python's, as line and words."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id=base)) if base == DATABASE:
                continue
            case ast.Attribute(attr=name) if name in CLOCKS:
                pass
            case ast.Import(names=names) if any(one.name == "time" for one in names):
                pass
            case ast.ImportFrom(module="time"):
                pass
            case _:
                continue
        found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("file", FILES)
def test_the_time_of_the_database_alone_decides(file: str) -> None:
    assert asked((ROOT / file).read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import time as clock",
        "from time import time_ns",
        "from datetime import datetime\ndatetime.now(UTC)",
        "import datetime\ndatetime.datetime.utcnow()",
        "from datetime import date\ndate.today()",
        "ask = datetime.now",
        "values(heartbeat=func.coalesce(Job.run_after, datetime.now(UTC)))",
    ],
)
def test_a_clock_of_pythons_is_found(source: str) -> None:
    assert len(asked(source)) == 1


def test_the_databases_clock_and_times_as_values_are_no_such() -> None:
    assert asked("from datetime import datetime\nat: datetime\nx = func.now()") == []
