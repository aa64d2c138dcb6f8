"""The worker touches nothing that a cell leaves but one regular file."""

import os
import socket
from pathlib import Path

import psutil
import pytest

from worker.cell.result import BadResult, check_result


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def check(scratch: Path, name: str = "output.nap", limit_bytes: int = 100) -> int:
    return check_result(scratch, name, limit_bytes=limit_bytes)


def test_a_regular_file_is_opened_for_reading(tmp_path: Path) -> None:
    (tmp_path / "output.nap").write_bytes(b"x" * 100)
    descriptor = check(tmp_path)
    with os.fdopen(descriptor, "rb") as result:
        assert result.read() == b"x" * 100
        assert not os.get_inheritable(descriptor)


@pytest.mark.parametrize(
    ("trap", "words"),
    [
        (lambda at: at.symlink_to("/etc/passwd"), "symbolic link"),
        (lambda at: at.hardlink_to(_written(at.with_name("other"), b"x")), "2 links"),
        (os.mkfifo, "prw"),
        (Path.mkdir, "drwx"),
        (Path.touch, "no bytes"),
        (_bind, "cannot be opened"),
        (lambda at: None, "No such file"),
    ],
    ids=["symlink", "hardlink", "fifo", "folder", "empty", "socket", "missing"],
)
def test_anything_else_is_refused_and_leaves_nothing_open(
    tmp_path: Path, trap: object, words: str
) -> None:
    trap(tmp_path / "output.nap")  # type: ignore[operator]
    before = psutil.Process().num_fds()
    with pytest.raises(BadResult) as caught:
        check(tmp_path)
    assert caught.value.code == "output_empty"
    assert words in caught.value.log
    assert psutil.Process().num_fds() == before


def test_a_large_file_is_refused_even_if_it_is_hollow(tmp_path: Path) -> None:
    with (tmp_path / "output.nap").open("wb") as file:
        file.truncate(101)
    with pytest.raises(BadResult, match="101 bytes, more than 100") as caught:
        check(tmp_path)
    assert caught.value.code == "result_too_large"


def test_a_scratch_folder_that_became_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    _written(tmp_path / "elsewhere" / "output.nap", b"x")
    (tmp_path / "scratch").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadResult, match="cannot be opened"):
        check(tmp_path / "scratch")
