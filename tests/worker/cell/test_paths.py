"""A cell may read programs and packages, and nothing that merely lies on the import path."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.formats.family import Needs
from tests.worker.cell.probing import task_of
from worker.cell import paths
from worker.cell.landlock import Access

ROOT = Path(__file__).parents[3]


@pytest.fixture
def readable() -> tuple[Path, ...]:
    return paths.readable_always.__wrapped__()


def test_the_systems_libraries_and_python_can_be_read(readable: tuple[Path, ...]) -> None:
    for needed in (Path("/usr/lib"), Path("/usr/share"), Path(sys.prefix, "lib"), _library()):
        assert _covers(readable, needed.resolve()), needed


def test_a_loaded_package_can_be_read_and_its_neighbours_not(readable: tuple[Path, ...]) -> None:
    assert ROOT / "worker" in readable
    for closed in (ROOT, ROOT / "data", ROOT / "pyproject.toml", ROOT / "alembic"):
        assert not _covers(readable, closed), closed


@pytest.mark.parametrize("closed", ["/", "/etc", "/etc/passwd", "/home", "/root", "/run", "/tmp"])
def test_nothing_else_of_the_machine_can_be_read(readable: tuple[Path, ...], closed: str) -> None:
    inside = [path for path in readable if Path(closed) in path.parents and closed == "/etc"]
    assert not _covers(readable, Path(closed))
    assert {str(path) for path in inside} <= {"/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"}


def test_a_single_module_is_granted_as_its_file_alone(tmp_path: Path) -> None:
    (tmp_path / "lone.py").write_text("")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "__init__.py").write_text("")
    script = (
        "import sys; sys.path[:0] = sys.argv[1:]; import lone, packed;"
        "from worker.cell import paths; print(*paths.readable_always(), sep='\\n')"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    mine = {line for line in printed.splitlines() if line.startswith(str(tmp_path))}
    assert mine == {str(tmp_path / "lone.py"), str(tmp_path / "packed")}


def test_a_folder_inside_another_is_not_granted_twice(readable: tuple[Path, ...]) -> None:
    assert not [path for path in readable if set(path.parents) & set(readable)]


def test_only_the_source_itself_is_granted_not_its_folder(tmp_path: Path) -> None:
    source = tmp_path / "data" / "source"
    source.parent.mkdir()
    source.touch()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "input.png").symlink_to(source)
    granted = {grant.path: grant.access for grant in paths.grants(task_of(scratch, "m:f"))}
    assert granted[source] == Access.READ_FILE
    assert source.parent not in granted
    assert tmp_path not in granted


@pytest.mark.parametrize(
    ("needs", "run", "sockets"),
    [
        (Needs(), False, False),
        (Needs(programs=1), True, False),
        (Needs(unix_sockets=True), False, True),
    ],
)
def test_programs_and_sockets_are_granted_where_they_are_needed(
    tmp_path: Path, needs: Needs, run: bool, sockets: bool
) -> None:
    granted = {
        grant.path: grant.access for grant in paths.grants(task_of(tmp_path, "m:f", needs=needs))
    }
    assert (Access.EXECUTE in granted[Path("/usr/lib")]) is run
    assert (Access.MAKE_SOCK in granted[tmp_path]) is sockets
    assert Access.EXECUTE not in granted[tmp_path]
    for never in (Access.MAKE_SYM, Access.MAKE_FIFO, Access.MAKE_CHAR, Access.MAKE_BLOCK):
        assert never not in granted[tmp_path]


def _covers(granted: tuple[Path, ...], path: Path) -> bool:
    return any(at in granted for at in (path, *path.parents))


def _library() -> Path:
    """Return where this Python has its own modules."""
    return Path(subprocess.__file__)
