"""The checker finds what it is there to find: each test, and each row of the table, plants it."""

import hashlib
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

import psutil
import pytest
from sqlalchemy import text

from app import queue
from app.storage.keys import result_key
from tests import make
from tests.polling import poll
from tests.system import checker
from tests.system.checker import abandoned, faults
from tests.system.house import House, family_of
from worker import sweep

pytestmark = pytest.mark.system


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing long that stays where it is because a test put it there."""
    monkeypatch.setattr(checker, "PATIENCE_SECONDS", 1.0)


@pytest.fixture
def tidy(house: House) -> House:
    """A house in which one job has succeeded; nothing runs."""
    house.upload()
    made = b"NAP1"
    with house.sessions.begin() as session:
        make.make_worker(session)
        claimed = make.claim_one(session)
        key = result_key(claimed.upload_id, claimed.number, claimed.lease_id)
        (house.data / "made").write_bytes(made)
        house.storage.publish(house.data / "made", key)
        result = {"storage_key": key, "sha256": hashlib.sha256(made).hexdigest()}
        queue.succeed(session, [make.ending(claimed, result=result)])
    return house


def said(statement: str) -> Callable[[House], None]:
    """Return what plants a fault in the rows."""

    def plant(house: House) -> None:
        with house.sessions.begin() as session:
            session.execute(text(statement))

    return plant


def another(area: str) -> Callable[[House], None]:
    """Return what puts other bytes into the file of an area."""

    def plant(house: House) -> None:
        the_file(house, area).write_bytes(b"another")

    return plant


def gone(area: str) -> Callable[[House], None]:
    return lambda house: the_file(house, area).unlink()


def unknown(house: House) -> None:
    (house.data / "objects" / "00").mkdir(exist_ok=True)
    (house.data / "objects" / "00" / "unknown").touch()


def the_file(house: House, area: str) -> Path:
    (file,) = (house.data / area).glob("*/*")
    return file


@contextmanager
def another_program(place: Path) -> Iterator[int]:
    """Start what a cell may have become: nothing but the place it works in tells of its attempt."""
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=place) as program:
        yield program.pid
        program.communicate(b"\n")


@contextmanager
def frozen(processes: list[psutil.Process]) -> Iterator[None]:
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # the spawner goes first and takes its cell along
                process.resume()


def test_what_is_as_it_should_be_is_no_fault(tidy: House) -> None:
    assert faults(tidy) == []


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (said("UPDATE jobs SET attempts = 7"), "attempts is 7, its events say 1"),
        (said("DELETE FROM events WHERE move = 'enqueue'"), "claim from None"),
        (said("UPDATE events SET worker = 'w-9' WHERE move = 'succeed'"), "succeed by w-9"),
        (said("DELETE FROM events"), "it is succeeded, its events say None"),
        (said("DELETE FROM jobs"), "which is in no row"),
        (said("DELETE FROM jobs"), "has no job"),
        (
            said(
                "INSERT INTO events (job_id, move, attempt, worker, lease_id)"
                " SELECT job_id, move, attempt, worker, lease_id FROM events WHERE move = 'claim'"
            ),
            "was claimed 2 times",
        ),
        (
            said(
                "INSERT INTO jobs (upload_id, number, kind, payload)"
                " SELECT upload_id, 2, kind, payload FROM jobs;"
                "UPDATE uploads SET deleted_at = now(), name = '', sha256 = NULL"
            ),
            "is gone and has an open job",
        ),
        (another("results"), r"results/\S+ has the SHA-256"),
        (another("objects"), r"objects/\S+ has the SHA-256"),
        (gone("results"), "no file for results/"),
        (gone("objects"), "no file for objects/"),
        (unknown, "no row for objects/00/unknown"),
    ],
)
def test_what_cannot_be_is_found(tidy: House, plant: Callable[[House], None], told: str) -> None:
    plant(tidy)
    assert re.search(told, "\n".join(faults(tidy)))


EXPIRED = "UPDATE uploads SET expires_at = now()"
LEFT = "INSERT INTO events (job_id, move, attempt) SELECT id, 'enqueue', 0 FROM jobs"


def expire(house: House) -> UUID:
    """Let the time of the only upload run out, and do what a sweep does then, but for the files."""
    said(EXPIRED)(house)
    with house.sessions.begin() as session:
        (upload,) = sweep.expire(session)
    return upload


def forget(house: House) -> None:
    """Do what a sweep does once the files are gone."""
    upload = expire(house)
    for area in ("objects", "results"):
        gone(area)(house)
    with house.sessions.begin() as session:
        sweep.tidied(session, [upload])


def test_what_is_forgotten_with_an_expired_upload_is_no_fault(tidy: House) -> None:
    forget(tidy)
    assert faults(tidy) == []


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        ("DELETE FROM events", "it is succeeded, its events say None"),
        ("UPDATE events SET worker = 'w-9' WHERE move = 'succeed'", "succeed by w-9"),
    ],
)
def test_until_its_files_are_gone_nothing_is_forgotten(tidy: House, plant: str, told: str) -> None:
    expire(tidy)
    said(plant)(tidy)
    assert told in "\n".join(faults(tidy))


def test_what_a_person_deleted_is_not_forgotten(tidy: House) -> None:
    forget(tidy)
    said("UPDATE uploads SET expires_at = NULL")(tidy)
    assert "its events say None" in "\n".join(faults(tidy))


def test_events_that_outlive_an_expired_upload_are_found(tidy: House) -> None:
    forget(tidy)
    said(LEFT)(tidy)
    (fault,) = faults(tidy)
    assert "has 1 events left, and its upload is forgotten" in fault


def test_what_an_attempt_left_is_found(house: House) -> None:
    name = house.worker().worker
    house.until("running", house.upload(seconds=600))
    (attempt,) = poll(lambda: list((house.data / "scratch").glob(f"*/{name}/*/")))
    assert faults(house) == []
    lease = uuid.uuid4().hex
    attempt.with_name(lease).mkdir()
    with another_program(attempt.with_name(lease)) as pid:
        assert faults(house) == [
            f"the scratch folder of {name} for lease {lease} is left",
            f"process {pid} has outlived its attempt in {name}/{lease}",
        ]
    with another_program(attempt):
        assert all("process" not in told for told in faults(house))


def test_who_outlives_a_worker_is_found_and_so_is_its_folder(house: House) -> None:
    """Frozen, its spawner and its cell do not see that it dies."""
    worker = house.worker()
    name = worker.worker
    house.until("running", house.upload(seconds=600))
    poll(lambda: len(family_of(worker.pid)) == 2, why=house.logs)
    family = [psutil.Process(pid) for pid in family_of(worker.pid)]
    assert abandoned(house) == []
    (attempt,) = (house.data / "scratch").glob(f"*/{name}/*/")
    with frozen(family), another_program(attempt) as pid:
        worker.kill()
        assert set(faults(house)) == {
            *(f"process {process.pid} has outlived worker {worker.pid}" for process in family),
            f"process {pid} has outlived its attempt in {name}/{attempt.name}",
        }
    poll(lambda: faults(house) == [])
    assert abandoned(house) == [f"the scratch folder of {name} is left"]
