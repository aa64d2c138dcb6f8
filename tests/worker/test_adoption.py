"""What one attempt finished the next adopts, and nobody deletes what another needs."""

import errno
import json
import os
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from app.queue import Standing
from app.storage import durable
from tests.worker.finished import PNG, Place, key_of, outcome_of
from worker import adoption, kept
from worker.outcome import Broken, Interrupted, Outcome, Refused
from worker.registry import own_version
from worker.report import Report


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_finished_result_gets_a_name_of_the_next_lease_too(place: Place) -> None:
    made = place.finish()
    assert made.result is not None
    report = place.find()
    assert report is not None
    assert report.result == made.result | {"storage_key": key_of(place.second)}
    assert (report.job, report.adopted) == (place.second, place.first.lease_id)
    assert place.storage.path(key_of(place.second)).samefile(
        place.storage.path(key_of(place.first))
    )


def test_a_first_attempt_looks_for_nothing(place: Place) -> None:
    """It is the first, or a person asked for the job once more."""
    place.finish()
    assert place.find(replace(place.second, attempt=1)) is None


def test_the_first_owner_deletes_its_own_names_and_no_other(place: Place) -> None:
    made = place.finish()
    assert place.find() is not None
    place.tidy(made, Standing.LOST)
    assert place.results() == sorted([key_of(place.second), outcome_of(place.second)])
    assert place.storage.path(key_of(place.second)).read_bytes() == PNG


def test_an_adopter_that_loses_its_lease_leaves_the_first_ones_names(place: Place) -> None:
    place.finish()
    report = place.find()
    assert report is not None
    place.tidy(report, Standing.LOST)
    assert place.results() == sorted([key_of(place.first), outcome_of(place.first)])


def test_a_third_attempt_adopts_what_the_second_adopted_from_the_first(place: Place) -> None:
    made = place.finish()
    assert place.find() is not None
    place.tidy(made, Standing.LOST)
    third = place.find(replace(place.second, lease_id=uuid.uuid4(), attempt=3))
    assert third is not None
    assert third.adopted == place.second.lease_id


@pytest.mark.parametrize("standing", [Standing.MOVED, Standing.ALREADY])
def test_once_recorded_nothing_is_left_but_the_result(place: Place, standing: Standing) -> None:
    other_job = replace(place.first, job_id=8, number=2, lease_id=uuid.uuid4())
    place.finish(other_job)
    place.finish()
    report = place.find()
    assert report is not None
    place.tidy(report, standing)
    assert place.results() == sorted(
        [key_of(place.second), key_of(other_job), outcome_of(other_job)]
    )


def test_who_lost_the_lease_leaves_its_work_to_a_job_that_waits(place: Place) -> None:
    made = place.finish()
    place.tidy(made, Standing.WAITING)
    assert place.find() is not None


@pytest.mark.parametrize("outcome", [Broken("storage_unavailable"), Interrupted()])
def test_what_is_tried_again_deletes_nothing(place: Place, outcome: Outcome) -> None:
    """A fault of the storage may come after the result was published."""
    place.finish()
    place.tidy(Report(place.first, outcome), Standing.MOVED)
    assert place.find() is not None


def test_where_files_cannot_be_linked_the_job_is_converted_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network file systems have no second names."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    place.finish()
    monkeypatch.setattr(os, "link", refuse)
    assert place.find() is None


def test_a_refusal_is_adopted_by_the_version_that_refused(place: Place) -> None:
    """A newer version may be able to convert it."""
    refusal = Refused("corrupt_input", "It ends early.", "eof at 17")
    adoption.keep(Report(place.first, refusal), place.scratch, place.storage)
    report = place.find()
    assert report is not None
    assert (report.outcome, report.result) == (refusal, None)
    place.storage.remove(outcome_of(place.second))
    assert place.find(replace(place.second, kind="document")) is None, "another family has it now"
    kept_of = json.loads(place.storage.path(outcome_of(place.first)).read_text())
    assert kept_of["by"] == {"kind": "image", "version": own_version()}
    place.change(lambda told: told["by"].update({"version": "0.0.older"}))
    assert place.find() is None


def test_a_refusal_with_an_unknown_code_is_not_adopted(place: Place) -> None:
    adoption.keep(Report(place.first, Refused("corrupt_input")), place.scratch, place.storage)
    place.change(lambda told: told["refused"].update({"code": "no_such_code"}))
    assert place.find() is None


def test_a_password_is_not_kept_and_the_work_is_adopted_all_the_same(place: Place) -> None:
    """Of what is secret there are only names: a digest could be guessed at."""
    locked = {"secrets": {"password": "a well kept secret"}}
    first = replace(place.first, payload=place.first.payload | locked)
    place.finish(first)
    content = place.storage.path(outcome_of(first)).read_text()
    other = replace(first, payload=place.first.payload | {"secrets": {"password": "another"}})
    assert "well kept" not in content
    assert content == kept.written(replace(place.finish(other), job=other))
    assert place.find(replace(place.second, payload=first.payload)) is not None


def test_an_outcome_that_cannot_be_kept_is_handed_in_all_the_same(
    place: Place, tmp_path: Path
) -> None:
    """A full disk, for one, must not make a refusal something to try again."""
    report = Report(place.first, Refused("corrupt_input"))
    assert adoption.keep(report, tmp_path / "no such folder", place.storage) is report
    (place.storage.root / "results").rmdir()
    assert adoption.keep(report, place.scratch, place.storage) is report
    with pytest.raises(FileNotFoundError):
        place.finish()


def test_a_disk_too_full_for_the_outcome_costs_no_result(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", refuse)
    place.finish()
    assert place.results() == [key_of(place.first)]


def test_nor_does_one_that_says_so_only_when_it_is_synced(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = durable.sync_file

    def refuse(file: Path) -> None:
        if not file.name.startswith("output."):
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(durable, "sync_file", refuse)
    place.finish()
    assert place.results() == [key_of(place.first)]


def test_a_crash_between_the_names_leaves_a_result_and_no_outcome(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def crash(source: Path, target: Path) -> None:
        rename(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", crash)
    with pytest.raises(KeyboardInterrupt):
        place.finish()
    assert place.results() == [key_of(place.first)]
