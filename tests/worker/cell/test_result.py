"""The worker touches nothing that a cell leaves but one regular file."""

import os
import socket
from pathlib import Path

import psutil
import pytest

from app.settings import Settings
from worker import attempt, product
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


@pytest.mark.parametrize("device", ["null", "zero"])
def test_a_device_is_refused_unread(device: str) -> None:
    """It stands where anybody can look at one; to make one takes root."""
    before = psutil.Process().num_fds()
    with pytest.raises(BadResult, match="not a regular file: crw") as caught:
        check(Path("/dev"), device)
    assert caught.value.code == "output_empty"
    assert psutil.Process().num_fds() == before


def test_a_large_file_is_refused_even_if_it_is_hollow(tmp_path: Path) -> None:
    with (tmp_path / "output.nap").open("wb") as file:
        file.truncate(101)
    with pytest.raises(BadResult, match="101 bytes, more than 100") as caught:
        check(tmp_path)
    assert caught.value.code == "result_too_large"


def test_who_made_too_much_hears_how_much_is_allowed_and_by_which_setting(tmp_path: Path) -> None:
    _written(tmp_path / "output.nap", b"x" * 2001)
    settings = Settings(max_upload_bytes=500)
    with pytest.raises(BadResult) as caught:
        check(tmp_path, limit_bytes=product.limit(settings))
    told = attempt._unusable(caught.value, settings)
    assert "2,000 bytes, four times ROWMILL_MAX_UPLOAD_BYTES" in str(told.detail)
    assert attempt._unusable(BadResult("output_empty", "a FIFO"), settings).detail is None


def test_a_scratch_folder_that_became_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    _written(tmp_path / "elsewhere" / "output.nap", b"x")
    (tmp_path / "scratch").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadResult, match="cannot be opened"):
        check(tmp_path / "scratch")
