"""Files are joined by the kernel where it can, and by hand where it cannot."""

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.ingest.copying import copy
from app.ingest.dock import Dock
from app.ingest.limits import Limits
from app.ingest.refusals import NoRoom
from app.ingest.resumable.joined import Unfinished, join
from app.ingest.running import RunningDigest
from app.storage import DiskStorage

MIB = 1024**2


@pytest.fixture
def dock(tmp_path: Path) -> Iterator[Dock]:
    storage = DiskStorage(tmp_path / "data", reserve=0)
    storage.claim_house(uuid4(), may_create=True)
    dock = Dock(storage, limits=Limits(max_bytes=2**40))
    yield dock
    dock.close()


@pytest.fixture
def parts(tmp_path: Path) -> list[tuple[Path, int]]:
    """Files that do not end where blocks end, one of them of no bytes."""
    made = []
    for number, size in enumerate((9 * MIB + 1, 0, 4096, 70_001)):
        path = tmp_path / f"{number}.part"
        path.write_bytes(os.urandom(size))
        made.append((path, size))
    return made


def whole(parts: list[tuple[Path, int]]) -> bytes:
    return b"".join(path.read_bytes() for path, _ in parts)


def refuse(monkeypatch: pytest.MonkeyPatch, number: int | None) -> None:
    """Let the kernel know no way between two files; None: say 0, as some do."""

    def copy_file_range(*_: Any) -> int:
        if number is None:
            return 0
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "copy_file_range", copy_file_range)


def assert_joined(dock: Dock, parts: list[tuple[Path, int]]) -> None:
    received = join(dock, uuid4(), parts, name="a.png")
    expected = whole(parts)
    assert received.part.read_bytes() == expected
    assert received.sha256 == hashlib.sha256(expected).hexdigest()
    assert received.size == len(expected)


def test_no_byte_goes_through_this_process_on_its_way(
    dock: Dock, parts: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("write", "writev", "pwrite", "pwritev"):
        monkeypatch.setattr(os, name, lambda *_: pytest.fail("bytes were written by hand"))
    assert_joined(dock, parts)


@pytest.mark.parametrize(
    "number", [errno.EXDEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EPERM, None]
)
def test_where_the_kernel_cannot_it_is_done_by_hand(
    dock: Dock,
    parts: list[tuple[Path, int]],
    monkeypatch: pytest.MonkeyPatch,
    number: int | None,
) -> None:
    refuse(monkeypatch, number)
    assert_joined(dock, parts)


def test_a_disk_that_fails_is_not_tried_by_another_way(
    dock: Dock, parts: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        join(dock, uuid4(), parts, name="a.png")
    assert list((dock.storage.path(f"incoming/{uuid4()}.part")).parent.iterdir()) == []


def test_a_disk_that_is_full_is_no_room_and_leaves_nothing(
    dock: Dock, parts: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.ENOSPC)
    with pytest.raises(NoRoom):
        join(dock, uuid4(), parts, name="a.png")
    assert list((dock.storage.path(f"incoming/{uuid4()}.part")).parent.iterdir()) == []


def test_the_reserve_of_the_disk_is_not_touched(
    dock: Dock, parts: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dock.storage, "_reserve", 2**60)
    with pytest.raises(NoRoom):
        join(dock, uuid4(), parts, name="a.png")


def test_what_somebody_has_of_the_digest_is_not_read_again(
    dock: Dock, parts: list[tuple[Path, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = RunningDigest(hashlib.sha256())
    begun.add([parts[0][0].read_bytes()], at=0)
    ahead = begun.copy()
    ahead.add([b"of something else"], at=ahead.position)
    read: list[int] = []
    pread = os.pread

    def note(descriptor: int, size: int, offset: int) -> bytes:
        found = pread(descriptor, size, offset)
        read.append(len(found))
        return found

    monkeypatch.setattr(os, "pread", note)
    received = join(dock, uuid4(), parts, name="a.png", begun=begun)
    assert received.sha256 == hashlib.sha256(whole(parts)).hexdigest()
    assert sum(read) < parts[0][1]


def test_a_part_of_another_length_ends_it(dock: Dock, parts: list[tuple[Path, int]]) -> None:
    path, size = parts[0]
    with pytest.raises(Unfinished):
        join(dock, uuid4(), [(path, size + 1)], name="a.png")


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_file_that_ends_too_early_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_hand: bool
) -> None:
    if by_hand:
        refuse(monkeypatch, errno.EXDEV)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"0123456789")
    with (
        source.open("rb") as one,
        target.open("w+b") as other,
        pytest.raises(OSError, match="shorter"),
    ):
        copy(one.fileno(), other.fileno(), count=11, at=0, to=0)


def test_a_stretch_lands_at_its_place(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"0123456789")
    target.write_bytes(b"..........")
    with source.open("rb") as one, target.open("r+b") as other:
        copy(one.fileno(), other.fileno(), count=3, at=4, to=2)
    assert target.read_bytes() == b"..456....."
