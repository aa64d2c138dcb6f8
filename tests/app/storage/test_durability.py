"""A name that was given survives a power loss: the order of syncs and renames is the promise."""

from pathlib import Path
from uuid import UUID

import pytest

from app.storage import DiskStorage
from app.storage.keys import outcome_key, result_key, source_key

UPLOAD = UUID("ab3f0c51-0000-4000-8000-000000000001")
OTHER = UUID("ab3f0c51-0000-4000-8000-000000000002")


def test_storing_syncs_the_new_folder_then_the_name_then_the_old_place(
    storage: DiskStorage, kernel_calls: list[str]
) -> None:
    part = storage.incoming(UPLOAD)
    part.write_bytes(b"bytes")
    storage.store(part, source_key(UPLOAD))
    assert kernel_calls == [
        "mkdir objects/ab",
        "fsync objects",
        f"rename objects/ab/{UPLOAD}",
        "fsync objects/ab",
        "fsync incoming",
    ]


def test_a_folder_that_exists_already_is_not_synced_again(
    storage: DiskStorage, kernel_calls: list[str]
) -> None:
    for upload in (UPLOAD, OTHER):
        kernel_calls.clear()
        storage.incoming(upload).write_bytes(b"bytes")
        storage.store(storage.incoming(upload), source_key(upload))
    assert "fsync objects" not in kernel_calls
    assert "fsync objects/ab" in kernel_calls


def test_a_folder_that_another_process_made_is_synced_all_the_same(
    storage: DiskStorage, kernel_calls: list[str]
) -> None:
    storage.path(source_key(UPLOAD)).parent.mkdir()
    kernel_calls.clear()
    storage.incoming(UPLOAD).write_bytes(b"bytes")
    storage.store(storage.incoming(UPLOAD), source_key(UPLOAD))
    renamed = kernel_calls.index(f"rename objects/ab/{UPLOAD}")
    assert "fsync objects" in kernel_calls[:renamed]


def test_a_folder_that_somebody_tidied_away_is_made_again(storage: DiskStorage) -> None:
    for upload in (UPLOAD, OTHER):
        storage.incoming(upload).write_bytes(b"bytes")
        storage.store(storage.incoming(upload), source_key(upload))
        assert storage.remove(source_key(upload))
        storage.path(source_key(upload)).parent.rmdir()


def test_a_new_data_folder_and_what_is_above_it_are_synced(
    tmp_path: Path, kernel_calls: list[str]
) -> None:
    DiskStorage(tmp_path / "data" / "deep" / "root").claim_house(UPLOAD, may_create=True)
    assert kernel_calls[:6] == [
        "mkdir .",
        "fsync ..",
        "mkdir deep",
        "fsync .",
        "mkdir deep/root",
        "fsync deep",
    ]


def test_a_data_folder_that_another_process_made_is_synced_all_the_same(
    tmp_path: Path, kernel_calls: list[str]
) -> None:
    (tmp_path / "data").mkdir()
    DiskStorage(tmp_path / "data").claim_house(UPLOAD, may_create=True)
    assert "fsync .." in kernel_calls


def test_publishing_syncs_the_bytes_before_the_name(
    storage: DiskStorage, kernel_calls: list[str], tmp_path: Path
) -> None:
    made = tmp_path / "data" / "output.webp"
    made.write_bytes(b"made")
    key = result_key(UPLOAD, 1, OTHER)
    storage.publish(made, key)
    assert kernel_calls == [
        "fsync output.webp",
        "mkdir results/ab",
        "fsync results",
        f"rename {key}",
        "fsync results/ab",
    ]


def test_a_result_and_its_outcome_share_the_sync_of_their_folder(
    storage: DiskStorage, kernel_calls: list[str], tmp_path: Path
) -> None:
    """The result comes first: an outcome without one would be of no use."""
    made, draft = tmp_path / "data" / "output.webp", tmp_path / "data" / "draft"
    for file in (made, draft):
        file.write_bytes(b"made")
    key, outcome = result_key(UPLOAD, 1, OTHER), outcome_key(UPLOAD, 1, OTHER)
    storage.publish_all({made: key, draft: outcome})
    assert kernel_calls == [
        "fsync output.webp",
        "fsync draft",
        "mkdir results/ab",
        "fsync results",
        f"rename {key}",
        f"rename {outcome}",
        "fsync results/ab",
    ]


def test_a_second_name_is_synced(storage: DiskStorage, kernel_calls: list[str]) -> None:
    key, second = result_key(UPLOAD, 1, OTHER), result_key(UPLOAD, 1, UPLOAD)
    storage.path(key).parent.mkdir()
    storage.path(key).write_bytes(b"made")
    kernel_calls.clear()
    storage.link(key, second)
    assert kernel_calls == [f"link {second}", "fsync results/ab"]


def test_the_marker_is_whole_before_it_has_its_name(
    tmp_path: Path, kernel_calls: list[str]
) -> None:
    DiskStorage(tmp_path / "data").claim_house(UPLOAD, may_create=True)
    link = kernel_calls.index("link house")
    assert kernel_calls[link - 1].startswith("fsync .house.")
    assert kernel_calls[link + 1] == "fsync ."


def test_a_result_that_is_a_symbolic_link_is_not_published(
    storage: DiskStorage, tmp_path: Path
) -> None:
    made = tmp_path / "data" / "output.webp"
    made.symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic links"):
        storage.publish(made, result_key(UPLOAD, 1, OTHER))
