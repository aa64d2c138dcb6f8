"""What a cell hoards in its scratch folder is seen from outside, however it is hidden."""

import os
from pathlib import Path

import pytest

from worker.cell import hoard

LIMIT = 1024**2


def test_files_count_together_and_holes_do_not(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for number in range(3):
        (tmp_path / "folder" / str(number)).write_bytes(bytes(300_000))
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(10 * LIMIT)
    assert hoard.excess(tmp_path, limit_bytes=LIMIT) is None
    (tmp_path / "last").write_bytes(bytes(300_000))
    assert hoard.excess(tmp_path, limit_bytes=LIMIT) == (
        "its scratch folder holds more than 1048576 bytes"
    )


def test_what_a_link_leads_to_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(bytes(2 * LIMIT))
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "input.png").symlink_to(tmp_path / "source")
    (tmp_path / "scratch" / "folder").symlink_to(tmp_path)
    assert hoard.excess(tmp_path / "scratch", limit_bytes=LIMIT) is None


def test_many_small_files_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hoard, "MOST_ENTRIES", 10)
    for number in range(11):
        (tmp_path / str(number)).touch()
    assert hoard.excess(tmp_path, limit_bytes=LIMIT) == (
        "its scratch folder has more than 10 entries"
    )


def test_a_folder_that_is_too_deep_to_look_into_is_an_excess(tmp_path: Path) -> None:
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("x" * 100, dir_fd=at)
        deeper = os.open("x" * 100, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = deeper
    os.close(at)
    assert "cannot be looked through: File name too long" in str(
        hoard.excess(tmp_path, limit_bytes=LIMIT)
    )


def test_a_folder_that_went_meanwhile_is_none(tmp_path: Path) -> None:
    assert hoard.excess(tmp_path / "gone", limit_bytes=LIMIT) is None
