"""A storage folder belongs to one database, and says so."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.storage import DiskStorage, WrongHouse
from app.storage.keys import source_key


def test_a_new_folder_is_claimed_and_recognised_again(tmp_path: Path) -> None:
    house = uuid4()
    DiskStorage(tmp_path / "data").claim_house(house, may_create=True)
    DiskStorage(tmp_path / "data").check_house(house)
    DiskStorage(tmp_path / "data").claim_house(house, may_create=False)
    assert (tmp_path / "data" / "house").read_text() == f"{house}\n"


def test_a_folder_of_another_house_is_refused_with_both_names(tmp_path: Path) -> None:
    first, second = uuid4(), uuid4()
    DiskStorage(tmp_path).claim_house(first, may_create=True)
    with pytest.raises(WrongHouse, match=f"{first}.*{second}"):
        DiskStorage(tmp_path).claim_house(second, may_create=True)
    DiskStorage(tmp_path).check_house(first)


def test_an_empty_folder_is_refused_when_the_database_is_old(tmp_path: Path) -> None:
    with pytest.raises(WrongHouse, match="no file named 'house'"):
        DiskStorage(tmp_path).claim_house(uuid4(), may_create=False)
    assert not (tmp_path / "house").exists()


def test_files_without_a_marker_are_not_given_to_a_new_database(tmp_path: Path) -> None:
    storage = DiskStorage(tmp_path)
    storage.claim_house(uuid4(), may_create=True)
    (tmp_path / "part").write_bytes(b"somebody's photo")
    storage.store(tmp_path / "part", source_key(uuid4()))
    (tmp_path / "house").unlink()
    with pytest.raises(WrongHouse, match="belong to another database"):
        storage.claim_house(uuid4(), may_create=True)


@pytest.mark.parametrize("marker", [b"", b"no uuid\n", b"\xff\xfe"])
def test_a_damaged_marker_is_refused(tmp_path: Path, marker: bytes) -> None:
    (tmp_path / "house").write_bytes(marker)
    with pytest.raises(WrongHouse):
        DiskStorage(tmp_path).check_house(uuid4())


def test_of_many_that_claim_at_once_exactly_one_house_wins(tmp_path: Path) -> None:
    def claim(house: UUID) -> UUID | None:
        try:
            DiskStorage(tmp_path).claim_house(house, may_create=True)
        except WrongHouse:
            return None
        return house

    with ThreadPoolExecutor(8) as threads:
        winners = [house for house in threads.map(claim, [uuid4() for _ in range(24)]) if house]
    assert len(winners) == 1
    DiskStorage(tmp_path).check_house(winners[0])
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["house"]
