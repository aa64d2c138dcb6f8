"""A machine that lacks room or memory is called that: it is never a crash, and never the file."""

from collections.abc import Iterator
from errno import EIO, ENOSPC
from pathlib import Path

import pytest
from polars.exceptions import ComputeError

from app.formats.table import TABLE
from tests.worker.converters import cells
from worker.converters.limits import Limits
from worker.converters.refusal import Refusal
from worker.converters.table import convert
from worker.converters.table.refusal import blamed_on
from worker.spawner.client import Spawner

MANY = b"a,b\n" + b"".join(b"%d,%d\n" % (n * 7919, n * 104_729) for n in range(5000))


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(TABLE) as spawner:
        yield spawner


@pytest.mark.parametrize("target", TABLE.targets)
def test_a_full_disk_is_told_with_its_number(tmp_path: Path, target: str) -> None:
    """By the number a cell knows that there may be room another time."""
    (tmp_path / "input.csv").write_bytes(MANY)
    (tmp_path / f"output.{target}").symlink_to("/dev/full")

    with pytest.raises(OSError, match="No space left") as raised:
        convert(
            tmp_path / "input.csv",
            tmp_path / f"output.{target}",
            source_format="csv",
            target_format=target,
            options={},
            limits=Limits(),
            progress=lambda _value, _stage: None,
        )

    assert raised.value.errno == ENOSPC


@pytest.mark.parametrize("target", TABLE.targets)
def test_a_result_that_finds_little_room_is_too_large(
    spawner: Spawner, tmp_path: Path, target: str
) -> None:
    said = cells.convert(
        spawner, TABLE, MANY, "csv", target, place=tmp_path, options={}, file_bytes=5000
    )

    assert said.broken.code == "result_too_large"


@pytest.mark.parametrize(
    "raised",
    [
        OSError("No space left (os error 28)"),
        OSError(EIO, "worn out"),
        ComputeError("parquet: File out of specification: worn out (os error 5)"),
        MemoryError(),
    ],
    ids=repr,
)
def test_what_the_machine_lacks_is_no_fault_of_the_file(raised: BaseException) -> None:
    with pytest.raises(type(raised)), blamed_on(Refusal("x", "unreadable")):
        raise raised
