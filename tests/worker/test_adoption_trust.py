"""What an earlier attempt left is adopted only if it is whole and is what the job asks for."""

import json
import os
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.storage.keys import outcome_key
from tests.worker.finished import Place, key_of, outcome_of


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    "torn",
    [b"", b"{", bytes(500), b"null", b"[]", b"7", b"\xff\xfe", b"[" * 100_000],
    ids=["empty", "begun", "zeros", "null", "list", "number", "no-text", "deep"],
)
def test_a_torn_outcome_is_not_believed(place: Place, torn: bytes) -> None:
    place.finish()
    place.storage.path(outcome_of(place.first)).write_bytes(torn)
    assert place.find() is None
    assert key_of(place.second) not in place.results()


def test_an_outcome_is_torn_wherever_it_ends(place: Place) -> None:
    place.finish()
    file = place.storage.path(outcome_of(place.first))
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert place.find() is None
    file.write_bytes(whole)
    assert place.find() is not None


def test_no_more_of_an_outcome_is_read_than_a_cell_can_say(place: Place) -> None:
    place.finish()
    file = place.storage.path(outcome_of(place.first))
    os.truncate(file, 2 * 1024**2)
    file.write_bytes(file.read_bytes().replace(b"\x00", b" "))
    assert json.loads(file.read_bytes())
    assert place.find() is None


def test_a_result_without_an_outcome_is_not_adopted(place: Place) -> None:
    """The worker was killed in between, or the result is of a release that kept none."""
    place.finish()
    place.storage.remove(outcome_of(place.first))
    assert place.find() is None


def test_an_outcome_without_its_result_is_not_adopted(place: Place) -> None:
    place.finish()
    place.storage.remove(key_of(place.first))
    assert place.find() is None
    assert place.results() == [outcome_of(place.first)]


def test_an_outcome_that_is_a_link_is_not_followed(place: Place, tmp_path: Path) -> None:
    place.finish()
    file = place.storage.path(outcome_of(place.first))
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert place.find() is None


@pytest.mark.parametrize("field", ["job", "upload", "number", "lease", "asked"])
def test_an_outcome_of_another_job_is_not_adopted(place: Place, field: str) -> None:
    place.finish()
    place.change(lambda told: told["of"].update({field: str(uuid.uuid4())}))
    assert place.find() is None


def test_an_outcome_under_another_jobs_name_is_not_adopted(place: Place) -> None:
    other = replace(place.first, job_id=8, number=2, lease_id=uuid.uuid4())
    place.finish(other)
    content = place.storage.path(outcome_of(other)).read_bytes()
    place.finish()
    place.storage.path(outcome_of(place.first)).write_bytes(content)
    assert place.find() is None


@pytest.mark.parametrize(
    "change",
    [{"to": "webp"}, {"from": "gif"}, {"options": {"width": 2}}, {"secrets": {"password": "x"}}],
)
def test_what_was_asked_for_must_be_the_same(place: Place, change: dict[str, Any]) -> None:
    place.finish()
    assert place.find(replace(place.second, payload=place.second.payload | change)) is None


@pytest.mark.parametrize("path", ["../../secret", "/etc/passwd", "results/ab/x", "house"])
def test_no_path_in_an_outcome_is_ever_opened(place: Place, path: str) -> None:
    place.finish()
    place.change(lambda told: told["converted"].update({"storage_key": path}))
    assert place.find() is None
    place.finish()
    place.change(lambda told: told["converted"].update({"format": path}))
    assert place.find() is None
    place.finish()
    place.change(lambda told: told.update({"storage_key": path}))
    report = place.find()
    assert report is not None
    assert report.result is not None
    assert report.result["storage_key"] == key_of(place.second)


def test_a_result_of_another_format_than_asked_for_is_not_adopted(place: Place) -> None:
    place.finish(content=b"a,b", claims="csv")
    assert place.find() is None


def shorten(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def alter(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1] + b"!")


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"!")


def empty(file: Path) -> None:
    file.write_bytes(b"")


def replace_by_a_link(file: Path) -> None:
    file.rename(file.with_name("away"))
    file.symlink_to(file.with_name("away"))


def replace_by_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def replace_by_a_fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize(
    "spoil",
    [
        shorten,
        alter,
        lengthen,
        empty,
        replace_by_a_link,
        replace_by_a_folder,
        replace_by_a_fifo,
    ],
)
def test_a_result_that_changed_since_is_not_adopted(
    place: Place, spoil: Callable[[Path], None]
) -> None:
    place.finish()
    spoil(place.storage.path(key_of(place.first)))
    assert place.find() is None
    assert key_of(place.second) not in place.results()


def test_a_result_is_recognised_again_before_it_is_adopted(place: Place) -> None:
    """Size and digest agree, yet it is no picture."""
    place.finish(content=b"no picture at all")
    place.change(lambda told: told["converted"].update({"media_type": "image/png"}))
    assert place.find() is None
    assert key_of(place.second) not in place.results()


def test_a_damaged_outcome_does_not_hide_a_good_one(place: Place) -> None:
    leases = sorted(uuid.uuid4() for _ in range(3))
    for lease in leases:
        place.finish(replace(place.first, lease_id=lease))
    for lease in (leases[0], leases[2]):
        name = outcome_key(place.first.upload_id, 1, lease)
        place.storage.path(name).write_bytes(b"")
    report = place.find()
    assert report is not None
    assert report.adopted == leases[1]
