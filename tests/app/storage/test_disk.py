"""What the disk storage keeps, finds, forgets and refuses."""

import os
import time
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.storage import Area, DiskStorage
from app.storage.keys import ForeignKey, incoming_key, outcome_key, result_key, source_key

DAY = 86400.0
UPLOAD = uuid4()


def keep(storage: DiskStorage, key: str, *, age: float = 0.0) -> str:
    """Put a file under a key, as if it had been written `age` seconds ago."""
    file = storage.path(key)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"content")
    os.utime(file, (time.time() - age,) * 2)
    return key


def test_a_stored_file_is_found_under_its_key_and_nowhere_else(storage: DiskStorage) -> None:
    upload = uuid4()
    storage.incoming(upload).write_bytes(b"photo")
    storage.store(storage.incoming(upload), source_key(upload))
    assert storage.exists(source_key(upload))
    assert storage.path(source_key(upload)).read_bytes() == b"photo"
    assert not storage.incoming(upload).exists()


def test_a_removed_file_is_gone_and_removing_it_again_is_no_error(storage: DiskStorage) -> None:
    key = keep(storage, source_key(uuid4()))
    assert storage.remove(key)
    assert not storage.exists(key)
    assert not storage.remove(key)


@pytest.mark.parametrize("key", ["../secret", "house", "/etc/passwd", "objects/ab/x\0", "trash/x"])
def test_a_foreign_key_never_becomes_a_path(storage: DiskStorage, key: str) -> None:
    for ask in (storage.path, storage.exists, storage.remove, storage.trash, storage.age):
        with pytest.raises(ForeignKey):
            ask(key)
    with pytest.raises(ForeignKey):
        storage.read(key, most_bytes=1)
    for pair in ((key, source_key(uuid4())), (source_key(uuid4()), key)):
        with pytest.raises(ForeignKey):
            storage.link(*pair)
    with pytest.raises(ForeignKey):
        storage.store(storage.root / "house", key)
    assert (storage.root / "house").exists()


def test_a_linked_file_outlives_its_first_name(storage: DiskStorage) -> None:
    first = keep(storage, result_key(UPLOAD, 1, uuid4()))
    second = result_key(UPLOAD, 1, uuid4())
    storage.link(first, second)
    storage.remove(first)
    assert storage.path(second).read_bytes() == b"content"
    with pytest.raises(FileNotFoundError):
        storage.link(first, result_key(UPLOAD, 1, uuid4()))
    with pytest.raises(FileExistsError):
        storage.link(second, second)


def test_only_a_small_file_is_read_and_no_link_is_followed(
    storage: DiskStorage, tmp_path: Path
) -> None:
    key = keep(storage, outcome_key(UPLOAD, 1, uuid4()))
    assert storage.read(key, most_bytes=7) == b"content"
    with pytest.raises(OSError, match="too large"):
        storage.read(key, most_bytes=6)
    storage.remove(key)
    (tmp_path / "other").write_bytes(b"secret")
    storage.path(key).symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic links"):
        storage.read(key, most_bytes=100)


def test_what_attempts_left_for_an_upload_is_found_and_nothing_else(storage: DiskStorage) -> None:
    assert storage.results_of(UPLOAD) == []
    lease = uuid4()
    made = [result_key(UPLOAD, 1, lease), result_key(UPLOAD, 2, lease)]
    outcome = keep(storage, outcome_key(UPLOAD, 2, lease))
    for key in made:
        keep(storage, key)
    neighbour = UUID(hex=UPLOAD.hex[:2] + uuid4().hex[2:])
    keep(storage, result_key(neighbour, 1, lease))
    keep(storage, source_key(UPLOAD))
    storage.path(made[0]).with_name(f"{UPLOAD}-notes").write_text("not ours")
    assert sorted(storage.results_of(UPLOAD)) == sorted([*made, outcome])


def test_the_age_of_a_file_counts_from_its_last_write(storage: DiskStorage) -> None:
    assert storage.age(keep(storage, source_key(uuid4()), age=100)) == pytest.approx(100, abs=5)
    with pytest.raises(FileNotFoundError):
        storage.age(source_key(uuid4()))


def test_a_walk_yields_the_old_files_of_its_area_only(storage: DiskStorage) -> None:
    upload, lease = uuid4(), uuid4()
    areas: dict[Area, str] = {
        "objects": source_key(upload),
        "results": result_key(upload, 1, lease),
        "incoming": incoming_key(upload),
    }
    for key in areas.values():
        keep(storage, key, age=2 * DAY)
    keep(storage, source_key(uuid4()), age=DAY / 2)
    foreign = storage.path(source_key(upload)).with_name("README")
    foreign.write_text("not ours")
    os.utime(foreign, (0, 0))
    for area, key in areas.items():
        assert list(storage.walk(area, older_than_seconds=DAY)) == [key]


def test_a_walk_does_not_follow_links(storage: DiskStorage, tmp_path: Path) -> None:
    key = source_key(uuid4())
    storage.path(key).parent.mkdir()
    storage.path(key).symlink_to(tmp_path)
    assert list(storage.walk("objects", older_than_seconds=-DAY)) == []


def test_a_walk_yields_nothing_at_all_when_one_folder_cannot_be_listed(
    storage: DiskStorage,
) -> None:
    keep(storage, source_key(UUID(int=0)), age=2 * DAY)
    (storage.root / "objects" / "ff").write_text("a file where a folder should be")
    with pytest.raises(NotADirectoryError):
        next(storage.walk("objects", older_than_seconds=DAY))


@pytest.mark.parametrize("area", ["objects", "results", "incoming"])
def test_a_walk_over_a_vanished_area_is_an_error_and_not_an_empty_list(
    storage: DiskStorage, area: Area
) -> None:
    (storage.root / area).rmdir()
    with pytest.raises(FileNotFoundError):
        list(storage.walk(area, older_than_seconds=0))


def test_what_is_in_the_trash_leaves_it_when_it_has_lain_there_long_enough(
    storage: DiskStorage,
) -> None:
    upload = uuid4()
    key = keep(storage, source_key(upload), age=30 * DAY)
    storage.trash(key)
    assert not storage.exists(key)
    aside = storage.root / "trash" / f"objects-{upload}"
    assert aside.read_bytes() == b"content"
    assert storage.empty_trash(older_than_seconds=7 * DAY) == 0
    os.utime(aside, (time.time() - 8 * DAY,) * 2)
    assert storage.empty_trash(older_than_seconds=7 * DAY) == 1
    assert not aside.exists()


def test_the_reserve_is_not_free(tmp_path: Path) -> None:
    plain, careful = DiskStorage(tmp_path, reserve=0), DiskStorage(tmp_path, reserve=10**9)
    assert plain.free_bytes() - careful.free_bytes() == pytest.approx(10**9, abs=5 * 10**8)
    assert DiskStorage(tmp_path).free_bytes() < plain.free_bytes()


def test_a_file_larger_than_what_is_free_has_no_room(tmp_path: Path) -> None:
    storage = DiskStorage(tmp_path, reserve=0)
    assert storage.room_for(1)
    assert not storage.room_for(10**18)
    assert DiskStorage(tmp_path, reserve=10**18).free_bytes() == 0


def test_only_the_owner_can_look_into_the_folders(storage: DiskStorage) -> None:
    for folder in ("incoming", "objects", "results", "trash"):
        assert (storage.root / folder).stat().st_mode & 0o777 == 0o700
