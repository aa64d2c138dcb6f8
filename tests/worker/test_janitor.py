"""What the janitor deletes, and what it leaves alone."""

import os
import threading
import uuid
from pathlib import Path
from uuid import UUID

import pytest

from app.settings import BadSetting, from_environment
from app.storage import DiskStorage, WrongHouse
from app.storage.keys import outcome_key, result_key, source_key
from tests.polling import poll
from worker import scratch
from worker.janitor import Janitor, Old, Strangers, Tidied
from worker.sweep import Remains

HOUR = 3600.0


class Place:
    """A storage with a janitor on it."""

    def __init__(self, root: Path) -> None:
        self.house = uuid.uuid4()
        self.storage = DiskStorage(root / "data")
        self.storage.claim_house(self.house, may_create=True)
        self.scratch = root / "scratch"
        self.scratch.mkdir()
        self.woken = threading.Event()
        self.janitor = Janitor(
            self.storage,
            house=self.house,
            scratch=self.scratch,
            lease_seconds=60,
            wake=self.woken.set,
        )

    def file(self, upload_id: UUID | None = None, *, age: float = 0) -> str:
        upload_id = upload_id or uuid.uuid4()
        part = self.storage.incoming(upload_id)
        part.write_bytes(b"x")
        self.storage.store(part, source_key(upload_id))
        path = self.storage.path(source_key(upload_id))
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age))
        return source_key(upload_id)

    def found(self) -> object:
        assert self.woken.wait(60)
        return poll(self.janitor.next_found)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_file_that_cannot_be_deleted_does_not_keep_the_others(place: Place) -> None:
    stubborn, other = uuid.uuid4(), uuid.uuid4()
    folder = place.storage.path(source_key(stubborn))
    folder.mkdir(parents=True)  # unlink of a folder is refused
    key = place.file(other)
    place.janitor.tidy([Remains(stubborn, (source_key(stubborn),)), Remains(other, (key,))])
    assert place.found() == Tidied((other,))
    assert not place.storage.exists(key)


def test_all_that_attempts_left_for_a_deleted_upload_goes_with_it(place: Place) -> None:
    """One was killed before it recorded: no row names its result, nor the outcome beside it."""
    gone, kept = uuid.uuid4(), uuid.uuid4()
    lease = uuid.uuid4()
    for upload in (gone, kept):
        for key in (result_key(upload, 1, lease), outcome_key(upload, 1, lease)):
            part = place.storage.root / "part"
            part.write_bytes(b"x")
            place.storage.publish(part, key)
    place.janitor.tidy([Remains(gone, (place.file(gone),))])
    assert place.found() == Tidied((gone,))
    assert place.storage.results_of(gone) == []
    assert len(place.storage.results_of(kept)) == 2


def test_it_names_old_files_and_no_young_ones(place: Place) -> None:
    old = place.file(age=2 * HOUR)
    place.file()
    place.janitor.look(worker="w", orphan_seconds=HOUR)
    assert place.found() == Old((old,))


def test_in_the_wrong_house_nothing_is_swept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marker is changed while it runs, as when another volume is mounted."""
    refused: list[WrongHouse] = []
    check = place.storage.check_house

    def counted(house_id: UUID) -> None:
        try:
            check(house_id)
        except WrongHouse as wrong:
            refused.append(wrong)
            raise

    monkeypatch.setattr(place.storage, "check_house", counted)
    old = place.file(age=2 * HOUR)
    (place.storage.root / "house").write_text(f"{uuid.uuid4()}\n")
    place.janitor.look(worker="w", orphan_seconds=HOUR)
    place.janitor.put_aside([old])
    place.janitor.tidy([Remains(uuid.uuid4(), (old,))])
    poll(lambda: len(refused) == 3)
    assert place.storage.exists(old)
    assert not place.janitor.has_found


def test_a_folder_that_cannot_be_listed_stops_the_whole_look(place: Place) -> None:
    place.file(age=2 * HOUR)
    (place.storage.root / "results").rmdir()
    place.janitor.look(worker="w", orphan_seconds=HOUR)
    done = threading.Event()
    place.janitor._orders.put(done.set)
    assert done.wait(10)
    assert not place.janitor.has_found


def test_only_folders_of_silent_workers_are_called_strangers(place: Place) -> None:
    silent = scratch.prepare(place.scratch, place.storage.root, worker="host-0badcafe")
    scratch.prepare(place.scratch, place.storage.root, worker="host-11111111")
    mine = scratch.prepare(place.scratch, place.storage.root, worker="host-22222222")
    for name in ("objects", ".ssh", "postgres-18", "host-33333333"):  # the last has no sign
        (place.scratch / name).mkdir()
    for file in [*place.scratch.glob("*/alive"), *place.scratch.iterdir()]:
        if "11111111" not in str(file):
            os.utime(file, (0, 0))
    place.janitor.look(worker=mine.name, orphan_seconds=HOUR)
    assert place.found() == Strangers((silent.name,))


def test_a_trial_is_left_alone_for_an_hour(tmp_path: Path) -> None:
    for name in (".trial-abc", ".trial-old", ".cache"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".trial-old", (0, 0))
    os.utime(tmp_path / ".cache", (0, 0))
    assert scratch.left_by_others(tmp_path, worker="w", older_than_seconds=1) == [".trial-old"]


@pytest.mark.parametrize("place", ["/srv/rowmill", "/srv", "/"])
def test_a_scratch_folder_that_holds_the_data_is_refused(place: str) -> None:
    with pytest.raises(BadSetting, match="what lies in it is deleted"):
        from_environment({"ROWMILL_DATA": "/srv/rowmill", "ROWMILL_SCRATCH": place})
