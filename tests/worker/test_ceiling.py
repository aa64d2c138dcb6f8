"""What the log says of the memory of a worker's container."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from worker import ceiling

GIB = 1024**3


def told(folder: Path, *, slots: int = 2) -> list[tuple[str, str]]:
    """Return level and sentence of each line, for so many slots of 2 GiB."""
    with capture_logs() as entries:
        ceiling.tell(slots=slots, each=2 * GIB, cgroups=folder, own=folder / "own")
    return [(entry["log_level"], entry["reason"]) for entry in entries]


@pytest.fixture
def cgroup(tmp_path: Path) -> Path:
    """The files of a machine with cgroup 2, on which the worker's cgroup is /a/b."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n")
    (tmp_path / "own").write_text("0::/a/b\n")
    return tmp_path


@pytest.mark.parametrize("place", [".", "a", "a/b"])
def test_less_than_all_slots_may_take_is_a_warning_with_the_sum(cgroup: Path, place: str) -> None:
    for one in ("a", "a/b"):
        (cgroup / one / "memory.max").write_text("max\n")
    (cgroup / place / "memory.max").write_text(f"{3 * GIB}\n")

    [(level, reason)] = told(cgroup)

    assert level == "warning"
    assert "2 slots × 2,147,483,648 = 4,294,967,296 bytes" in reason  # noqa: RUF001
    assert "has 3,221,225,472" in reason
    assert "Raise its memory limit, or lower ROWMILL_SLOTS" in reason


def test_the_smallest_limit_counts(cgroup: Path) -> None:
    (cgroup / "a" / "memory.max").write_text(f"{3 * GIB}\n")
    (cgroup / "a" / "b" / "memory.max").write_text(f"{8 * GIB}\n")
    assert [level for level, _ in told(cgroup)] == ["warning"]


def test_enough_for_all_is_nothing_to_tell(cgroup: Path) -> None:
    (cgroup / "a" / "b" / "memory.max").write_text(f"{4 * GIB}\n")
    assert told(cgroup) == []


def test_no_limit_at_all_is_only_told(cgroup: Path) -> None:
    (cgroup / "a" / "b" / "memory.max").write_text("max\n")
    [(level, reason)] = told(cgroup)
    assert level == "info"
    assert "4,294,967,296 bytes may be in use at once" in reason


def test_the_root_of_a_container_is_its_own(cgroup: Path) -> None:
    (cgroup / "own").write_text("0::/\n")
    (cgroup / "memory.max").write_text(f"{3 * GIB}\n")
    assert [level for level, _ in told(cgroup)] == ["warning"]


@pytest.mark.parametrize("own", ["", "4:memory:/a\n0::/a/b\n"])
def test_without_cgroup_2_nothing_is_known(tmp_path: Path, own: str) -> None:
    (tmp_path / "own").write_text(own)
    (tmp_path / "memory.max").write_text(f"{GIB}\n")
    assert told(tmp_path) == []


def test_what_cannot_be_read_or_understood_stops_nobody(cgroup: Path) -> None:
    (cgroup / "a" / "memory.max").mkdir()
    (cgroup / "a" / "b" / "memory.max").write_text("nonsense\n")
    assert [level for level, _ in told(cgroup)] == ["info"]
    (cgroup / "own").unlink()
    assert told(cgroup) == []
