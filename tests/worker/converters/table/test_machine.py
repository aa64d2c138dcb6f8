"""In a real cell, on a machine with its troubles: none of them is the table's fault."""

import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from errno import EINVAL
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

from app.formats.table import TABLE
from tests.python import python
from tests.worker.converters.table.samples import HEADER, ROWS, sample, write_with_a_gap
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal
from worker.converters.table.refusal import blamed_on
from worker.outcome import Broken, Converted, Outcome
from worker.spawner.client import Spawner, Task

CONVERT, TRIAL = TABLE.convert, str(TABLE.trial)
MIB = 1024**2


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[CONVERT, TRIAL])
    spawner.start()
    yield spawner
    spawner.stop()


def _in_a_cell(
    spawner: Spawner, scratch: Path, source: str, target: str, *, convert: str = CONVERT
) -> Outcome:
    with spawner.cell(_task(scratch, source, target, convert=convert)) as cell:
        assert cell.wait(timeout=60)
        return cell.outcome()


def _task(scratch: Path, source: str, target: str, *, convert: str = CONVERT) -> Task:
    return Task(
        convert=convert,
        scratch=scratch,
        source=f"input.{source}",
        target=f"output.{target}",
        source_format=source,
        target_format=target,
        options={},
        limits=asdict(Limits()),
        memory_bytes=2 * 1024**3,
        cpu_seconds=60,
        file_bytes=2 * 1024**3,
    )


def _scratch(tmp_path: Path) -> Path:
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=0o700, exist_ok=True)
    return scratch


def test_importing_starts_no_thread_and_does_not_load_polars() -> None:
    """The spawner forks after it; a second thread would make every cell a gamble."""
    code = (
        "import os, worker.converters.table\n"
        "print(len(os.listdir('/proc/self/task')), 'polars' in sys.modules)"
    )

    assert python(code) == "1 False"


def test_a_cell_imports_polars_and_what_uses_it_and_no_more() -> None:
    """All else the spawner has imported before it forked."""
    code = (
        "import worker.cell.conversion, worker.converters.table\n"
        "ready = set(sys.modules)\n"
        "import worker.converters.table.conversion, worker.converters.table.workbook.opening\n"
        "new = {name for name in sys.modules if name not in ready}\n"
        "uses = {name for name in new if hasattr(sys.modules[name], 'pl')}\n"
        "print(*(name for name in new - uses if 'polars' not in name))"
    )

    late = {name.removeprefix("worker.converters.table.") for name in python(code).split()}

    assert late <= {"conversion", "opening"} | {
        f"workbook.{name}" for name in ("choosing", "ods", "opening", "sheet", "xls", "xlsx")
    }


@pytest.mark.parametrize("source", sorted(TABLE.sources))
def test_every_source_is_read_in_a_cell(spawner: Spawner, tmp_path: Path, source: str) -> None:
    scratch = _scratch(tmp_path)
    real = tmp_path / "elsewhere"
    real.write_bytes(sample(source))
    (scratch / f"input.{source}").symlink_to(real)

    outcome = _in_a_cell(spawner, scratch, source, "ndjson" if source == "json" else "json")

    assert isinstance(outcome, Converted), outcome
    assert outcome.facts["rows"] == len(ROWS)


@pytest.mark.parametrize("target", TABLE.targets)
def test_every_target_is_written_in_a_cell(spawner: Spawner, tmp_path: Path, target: str) -> None:
    scratch = _scratch(tmp_path)
    (scratch / "input.csv").write_bytes(sample("csv"))

    outcome = _in_a_cell(spawner, scratch, "csv", target)

    assert isinstance(outcome, Converted), outcome
    assert {path.name for path in scratch.iterdir()} == {"input.csv", f"output.{target}"}


@pytest.mark.parametrize("source", ["parquet", "arrow"])
def test_a_file_larger_than_the_memory_of_a_cell_is_no_crash(
    spawner: Spawner, tmp_path: Path, source: str
) -> None:
    scratch = _scratch(tmp_path)
    told = []
    for gap in (MIB, 3072 * MIB):
        write_with_a_gap(scratch / f"input.{source}", sample(source), gap)
        outcome = _in_a_cell(spawner, scratch, source, "csv")
        told.append(outcome.code if isinstance(outcome, Broken) else type(outcome).__name__)

    assert told == ["Converted", "memory_limit"]


@pytest.mark.parametrize("target", ["parquet", "arrow"])
def test_polars_takes_a_cell_for_no_machine_without_memory(
    spawner: Spawner, tmp_path: Path, target: str
) -> None:
    """It would move what it holds into files, where no cell may write, and print that it cannot."""
    scratch = _scratch(tmp_path)
    (scratch / "input.csv").write_text("a,b\n" + "1,2\n" * 500_000)
    task = _task(scratch, "csv", target)

    with spawner.cell(task) as cell:
        assert cell.wait(timeout=60)
        assert isinstance(cell.outcome(), Converted)
        assert cell.stderr == ""


def test_the_trial_says_that_all_works(spawner: Spawner, tmp_path: Path) -> None:
    scratch = _scratch(tmp_path)

    outcome = _in_a_cell(spawner, scratch, "", "json", convert=TRIAL)

    assert isinstance(outcome, Converted), outcome
    pairs = outcome.facts["pairs"]
    assert {(source, target) for source in pairs for target in pairs[source]} == set(TABLE.pairs)
    assert all(reason is None for targets in pairs.values() for reason in targets.values())
    assert list(scratch.iterdir()) == []


def test_the_trial_says_what_does_not_work(tmp_path: Path) -> None:
    """With room for 600 bytes no file of some formats can be written."""
    code = (
        "import resource, signal, json\nfrom pathlib import Path\n"
        "from worker.converters.table import trial\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        f"place = Path({str(tmp_path)!r}, 'output.json')\n"
        "print(json.dumps(trial(place, place).facts['pairs']))"
    )

    pairs = json.loads(python(code))

    assert pairs["csv"]["json"] is None
    assert "csv to xlsx" in pairs["csv"]["xlsx"]
    assert "csv to xlsx" in pairs["xlsx"]["csv"]


def test_brackets_and_stars_in_a_path_are_no_pattern(tmp_path: Path) -> None:
    from worker.converters.table import convert

    for source in ("parquet", "arrow", "csv"):
        folder = tmp_path / f"rep[1]*?{source}"
        other = tmp_path / f"rep1*?{source}"
        for place in (folder, other):
            place.mkdir()
        (folder / f"input.{source}").write_bytes(sample(source))
        (other / f"input.{source}").write_bytes(b"another person's data")
        outcome = convert(
            folder / f"input.{source}",
            folder / "output.json",
            source_format=source,
            target_format="json",
            options={},
            limits=Limits(),
            progress=lambda _value, _stage: None,
        )
        assert isinstance(outcome, Converted), outcome
        rows = json.loads((folder / "output.json").read_bytes())
        assert [list(row.values()) for row in rows] == ROWS
        assert list(rows[0]) == HEADER


def test_a_panic_inside_of_a_library_is_blamed_on_the_file() -> None:
    """Calamine panics on a last sector that is cut off; a panic is no Exception."""
    damaged = sample("xls")[:-3]
    with pytest.raises(BaseException, match="assertion") as panic:
        CalamineWorkbook.from_filelike(io.BytesIO(damaged))
    assert not isinstance(panic.value, Exception)

    with pytest.raises(Refusal, match="unreadable"), blamed_on(Refusal("x", "unreadable")):
        CalamineWorkbook.from_filelike(io.BytesIO(damaged))


@pytest.mark.parametrize(
    "raised",
    [
        OSError("failed to fill whole buffer"),
        OSError("(os error 22)"),
        OSError(EINVAL, "no offset"),
    ],
    ids=str,
)
def test_a_file_that_ends_too_early_for_rust_is_to_blame(raised: OSError) -> None:
    with pytest.raises(Refusal, match="unreadable"), blamed_on(Refusal("x", "unreadable")):
        raise raised
