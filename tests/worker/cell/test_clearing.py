"""Whatever a cell leaves in its scratch folder can be deleted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worker.cell.probing import USERS, house_of
from worker.cell.clearing import clear

ROOT = Path(__file__).parents[3]


def test_files_links_and_folders_go_and_what_links_lead_to_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "folder").mkdir(parents=True)
    (kept / "file").touch()
    scratch = tmp_path / "scratch"
    (scratch / "a" / "b").mkdir(parents=True)
    (scratch / "a" / "file").touch()
    (scratch / "to-file").symlink_to(kept / "file")
    (scratch / "a" / "to-folder").symlink_to(kept / "folder")
    os.mkfifo(scratch / "fifo")
    clear(scratch)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]
    assert sorted(path.name for path in kept.iterdir()) == ["file", "folder"]


def test_folders_too_deep_for_a_recursion_and_for_a_path_go(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    dig(scratch, 3000)
    clear(scratch)
    assert not scratch.exists()


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    clear(tmp_path / "missing")


@pytest.mark.parametrize("uid", USERS)
def test_folders_without_any_right_go(uid: int) -> None:
    script = (
        "import os, sys; from pathlib import Path; from worker.cell.clearing import clear;"
        "uid, scratch = int(sys.argv[1]), Path(sys.argv[2]);"
        "uid == os.getuid() or (os.setgroups([]), os.setgid(uid), os.setuid(uid));"
        "Path(scratch, 'a', 'b', 'c').mkdir(parents=True); Path(scratch, 'a', 'b', 'f').touch();"
        "[os.chmod(Path(scratch, at), 0) for at in ('a/b/c', 'a/b', 'a')];"
        "clear(scratch)"
    )
    with house_of(uid) as scratch:
        subprocess.run([sys.executable, "-c", script, str(uid), str(scratch)], cwd=ROOT, check=True)
        assert not scratch.exists()


def dig(folder: Path, depth: int) -> None:
    """Make folders in one another."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("x", dir_fd=at)
        deeper = os.open("x", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = deeper
    os.close(at)
