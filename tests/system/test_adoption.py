"""Finished work is not done again, although its worker was killed or frozen before it recorded."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text

from app.models import Event, Job
from app.states import Move
from app.storage.keys import outcome_key, result_key
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import faults
from tests.system.house import FEW, House, house_on

pytestmark = pytest.mark.system

# To a worker a row whose update has no effect looks as if somebody had locked it.
NOTHING_ENDS = """
CREATE FUNCTION ends_not() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER ends_not BEFORE UPDATE ON jobs FOR EACH ROW
WHEN (NEW.status IN ('succeeded', 'failed')) EXECUTE FUNCTION ends_not();
"""
# What the killed or frozen worker had asked for last is not answered later.
CUT_OFF = """
SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that this test may stop."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    yield server
    server.stop()


@contextmanager
def nothing_is_recorded(house: House) -> Iterator[None]:
    """Let conversions end and workers try in vain to record it."""
    with house.sessions.begin() as session:
        session.execute(text(NOTHING_ENDS))
    yield
    with house.sessions.begin() as session:
        session.execute(text(CUT_OFF))
    with house.sessions.begin() as session:
        session.execute(text("DROP FUNCTION ends_not CASCADE"))


def unique(house: House) -> UUID:
    """Send a file whose conversions each leave a mark of their own in what they make."""
    return house.upload(seconds=0.5, how="unique")


def outcome_of(house: House, upload: UUID) -> Path:
    """Wait until an attempt has ended and is kept; return the file."""

    def found() -> list[Path]:
        return list((house.data / "results").glob(f"*/{upload}-*.json"))

    return poll(found, why=house.logs)[0]


def result_beside(outcome: Path) -> Path:
    return outcome.with_suffix("")


def recorded(house: House, upload: UUID) -> bytes:
    """Return the result that the row names."""
    job = house.until("succeeded", upload)
    assert job.result is not None
    return house.storage.path(job.result["storage_key"]).read_bytes()


def adopted(house: House, upload: UUID) -> object:
    """Return what the event of the end tells of an earlier lease."""
    event = select(Event.detail).join(Job, Job.id == Event.job_id)
    with house.sessions() as session:
        detail = session.scalars(
            event.where(Job.upload_id == upload, Event.move.in_((Move.SUCCEED, Move.FAIL)))
        ).one()
    return (detail or {}).get("adopted")


def test_a_conversion_that_ended_while_the_database_was_away_is_not_done_again(
    own_server: Server, tmp_path: Path
) -> None:
    with house_on(own_server, tmp_path, **FEW) as house:
        worker = house.worker(ROWMILL_SLOTS="1")
        with nothing_is_recorded(house):
            upload = unique(house)
            lease = house.until("running", upload).lease_id
            own_server.halt()
            made = result_beside(outcome_of(house, upload)).read_bytes()
            worker.kill()
            own_server.start()
        restarted = house.worker(ROWMILL_SLOTS="1")
        assert recorded(house, upload) == made
        job = house.job(upload)
        assert (job.attempts, job.losses) == (2, 1)
        assert adopted(house, upload) == str(lease)
        assert restarted.told("attempt.adopted")
        assert faults(house) == []


def test_both_owners_may_be_alive_and_the_first_takes_nothing_from_the_second(
    house: House,
) -> None:
    with nothing_is_recorded(house):
        upload, first, second = house.two_workers(seconds="0.5", how="unique")
        made = result_beside(outcome_of(house, upload)).read_bytes()
        first.send(signal.SIGSTOP)
    assert recorded(house, upload) == made
    assert second.told("attempt.adopted")
    row = house.job(upload).result
    first.send(signal.SIGCONT)
    first.told("job.lost")
    assert house.job(upload).result == row
    assert house.moves(upload).count("succeed") == 1
    assert faults(house) == []
    house.api()
    with house.client() as client:
        assert client.get(f"/uploads/{upload}/result").content == made


def test_who_lost_the_lease_leaves_its_work_to_a_job_that_nobody_has_yet(house: House) -> None:
    """All others are busy, so that the one who had it gets it again, under a new name."""
    with nothing_is_recorded(house):
        upload, first, second = house.two_workers(seconds="0.5", how="unique")
        made = result_beside(outcome_of(house, upload)).read_bytes()
        house.until("running", house.upload(seconds=600))
        first.send(signal.SIGSTOP)
    second.told("worker.lost")
    assert house.job(upload).status == "queued"
    first.send(signal.SIGCONT)
    assert recorded(house, upload) == made
    assert first.told("job.lost")
    assert first.told("attempt.adopted")
    assert faults(house) == []


def test_a_crash_at_any_step_costs_a_conversion_at_most_and_never_gives_a_wrong_result(
    house: House,
) -> None:
    """Before the outcome had its name, amid writing it, with half a result, and after all that."""
    worker = house.worker(ROWMILL_SLOTS="4")
    with nothing_is_recorded(house):
        uploads = [unique(house) for _ in range(4)]
        outcomes = [outcome_of(house, upload) for upload in uploads]
        worker.kill()
    made = [result_beside(outcome).read_bytes() for outcome in outcomes]
    outcomes[0].unlink()
    os.truncate(outcomes[1], outcomes[1].stat().st_size // 2)
    os.truncate(result_beside(outcomes[2]), 20)
    house.worker(ROWMILL_SLOTS="4", ROWMILL_ORPHAN_SECONDS="2")
    results = [recorded(house, upload) for upload in uploads]
    assert [old == new for old, new in zip(made, results, strict=True)] == [False] * 3 + [True]
    assert {len(result) for result in results} == {len(made[3])}
    assert [adopted(house, upload) is not None for upload in uploads] == [False] * 3 + [True]
    poll(lambda: faults(house) == [], why=lambda: faults(house))  # what was torn is swept


def test_what_attempts_left_goes_with_the_upload_at_once(house: House) -> None:
    house.api()
    upload, lease = house.upload(), uuid4()
    for key in (result_key(upload, 1, lease), outcome_key(upload, 1, lease)):
        (house.data / "part").write_bytes(b"left by a crash")
        house.storage.publish(house.data / "part", key)
    with house.client() as client:
        assert client.delete(f"/uploads/{upload}").status_code == 204
    assert house.storage.results_of(upload) == []
    assert faults(house) == []


def test_a_refusal_is_not_worked_out_again(house: House) -> None:
    with nothing_is_recorded(house):
        upload, first, second = house.two_workers(seconds="0.5", how="refuse")
        outcome, lease = outcome_of(house, upload), house.job(upload).lease_id
        assert json.loads(outcome.read_text())["refused"]["code"] == "corrupt_input"
        first.kill()
    job = house.until("failed", upload)
    assert (job.error or {})["code"] == "corrupt_input"
    assert adopted(house, upload) == str(lease)
    assert second.told("attempt.adopted")
    assert faults(house) == []
