"""Uploads that nobody goes on with, files that are lost, processes and databases that fail."""

import errno
import hashlib
import os
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from app import queue
from app.api import reception
from app.api.database import DatabaseAway
from app.api.resumable import completion
from app.models import Job, Upload
from app.storage import keys
from tests.app.api.conftest import PNG, Service
from tests.app.api.resumable.conftest import ServeTus, Tus, id_of, png
from tests.polling import poll
from worker import sweep


def over(service: Service, path: str) -> None:
    with service.sessions.begin() as session:
        session.execute(
            update(Upload).where(Upload.id == id_of(path)).values(expires_at=func.now())
        )


def jobs_of(service: Service, path: str) -> int:
    with service.sessions() as session:
        count = select(func.count()).select_from(Job).where(Job.upload_id == id_of(path))
        return session.scalar(count) or 0


def test_each_byte_moves_the_end_on(serve_tus: ServeTus) -> None:
    tus = serve_tus(upload_expires_seconds=5000)
    path = tus.create(900)
    over(tus.service, path)
    assert tus.head(path).status_code == 410
    with tus.service.sessions.begin() as session:
        session.execute(text("UPDATE uploads SET expires_at = now() + interval '9 s'"))
    answer = tus.patch(path, png(900)[:10], at=0)
    left = parsedate_to_datetime(answer.headers["upload-expires"]) - datetime.now(UTC)
    assert 4900 < left.total_seconds() <= 5000
    left = parsedate_to_datetime(tus.head(path).headers["upload-expires"]) - datetime.now(UTC)
    assert 4900 < left.total_seconds() <= 5000


def test_while_bytes_come_the_end_moves_on_too(serve_tus: ServeTus) -> None:
    tus = serve_tus(upload_expires_seconds=5000)
    path = tus.create(900)
    with tus.service.sessions.begin() as session:
        session.execute(text("UPDATE uploads SET expires_at = now() + interval '30 s'"))
    with tus.hanging(path, png(900)[:10], at=0, length=900):
        poll(lambda: tus.row(path).received == 10)
        expires_at = tus.row(path).expires_at
    assert expires_at is not None
    assert (expires_at - datetime.now(UTC)).total_seconds() > 4000


def test_an_upload_whose_time_is_over_is_gone_and_swept(tus: Tus) -> None:
    path = tus.create(900)
    tus.patch(path, png(900)[:10], at=0)
    over(tus.service, path)
    for answer in (tus.head(path), tus.patch(path, b"x", at=10), tus.service.client.get(path)):
        assert answer.status_code == 410
    with tus.service.sessions.begin() as session:
        assert sweep.expire(session) == [id_of(path)]
        (remains,) = sweep.untidied(session)
    assert remains.keys == (keys.incoming_key(id_of(path)),)
    row = tus.row(path)
    assert (row.name, row.sent_metadata, row.wishes) == ("", None, None)
    assert tus.head(path).status_code == 410


def test_a_part_of_an_upload_in_receipt_is_no_orphan(tus: Tus) -> None:
    path = tus.create(900)
    key = keys.incoming_key(id_of(path))
    with tus.service.sessions() as session:
        assert sweep.orphans(session, [key]) == []
    tus.delete(path)
    with tus.service.sessions() as session:
        assert sweep.orphans(session, [key]) == [key]


def test_what_was_refused_may_become_something_else(tus: Tus) -> None:
    path = tus.create(len(PNG), to="webp", width="9")
    with tus.service.sessions.begin() as session:
        session.execute(update(Upload).values(wishes={"to": ["webp"], "options": {"width": "x"}}))
    assert tus.patch(path, PNG, at=0).status_code == 204
    document = tus.service.document(path)
    assert (document["status"], document["error"]["code"]) == ("failed", "bad_options")
    assert tus.service.client.post(f"{path}/jobs", json={"to": "webp"}).status_code == 202
    document = tus.service.document(path)
    assert (document["status"], document["error"]) == ("converting", None)


def test_a_file_that_vanished_ends_the_upload(tus: Tus) -> None:
    path = tus.create(900)
    tus.patch(path, png(900)[:10], at=0)
    tus.file(path).unlink()
    for _ in range(2):
        answer = tus.head(path)
        assert answer.status_code == 410
        assert "upload-offset" not in answer.headers
    assert tus.patch(path, b"x", at=10).json()["code"] == "upload_lost"
    assert tus.service.document(path)["error"]["code"] == "upload_lost"


def test_a_file_that_has_its_name_but_no_record_is_recorded_by_the_next_look(tus: Tus) -> None:
    """The process was killed between the rename and the commit."""
    path = tus.create(len(PNG))
    tus.file(path).write_bytes(PNG)
    tus.service.storage.store(tus.file(path), keys.source_key(id_of(path)))
    assert tus.offset(path) == len(PNG)
    document = tus.service.document(path)
    assert (document["status"], document["sha256"]) == (
        "converting",
        hashlib.sha256(PNG).hexdigest(),
    )
    assert tus.patch(path, b"", at=len(PNG)).status_code == 204
    assert jobs_of(tus.service, path) == 1


@pytest.mark.parametrize("ask", ["head", "patch"])
def test_a_file_that_came_whole_is_recorded_by_the_next_look(tus: Tus, ask: str) -> None:
    """The process was killed after the last byte: a client that hears its length is done."""
    path = tus.create(len(PNG))
    tus.file(path).write_bytes(PNG)
    answer = tus.head(path) if ask == "head" else tus.patch(path, b"", at=len(PNG))
    assert answer.headers["upload-offset"] == str(len(PNG))
    assert tus.service.document(path)["status"] == "converting"


def test_bytes_that_the_row_never_heard_of_count(tus: Tus) -> None:
    content = png(900)
    path = tus.create(900)
    tus.file(path).write_bytes(content[:500])
    assert (tus.row(path).received, tus.offset(path)) == (0, 500)
    assert tus.patch(path, content[500:], at=500).status_code == 204
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_an_upload_that_is_deleted_while_it_is_completed_gets_no_job(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tus.create(len(PNG))
    record = completion._record

    async def delete_first(*args: Any, **options: Any) -> bool:
        with tus.service.sessions.begin() as session:
            upload = queue.lock(session, id_of(path))
            assert upload is not None
            upload.name, upload.deleted_at, upload.expires_at = "", func.now(), None
        return await record(*args, **options)

    monkeypatch.setattr(completion, "_record", delete_first)
    answer = tus.patch(path, PNG, at=0)
    assert (answer.status_code, answer.json()["code"]) == (410, "deleted")
    assert jobs_of(tus.service, path) == 0
    assert not tus.service.storage.exists(keys.source_key(id_of(path)))


def test_what_could_not_be_recorded_is_recorded_by_the_next_look(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "TRY_SECONDS", 0.0)
    path = tus.create(len(PNG))
    record, failing = completion._completed, [True]

    def fail_once(*args: Any, **options: Any) -> bool:
        if failing.pop():
            raise DatabaseAway
        return record(*args, **options)

    monkeypatch.setattr(completion, "_completed", fail_once)
    failing.insert(0, False)
    answer = tus.patch(path, PNG, at=0)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_recorded")
    assert tus.service.storage.exists(keys.source_key(id_of(path)))
    failing[:] = [False]
    assert tus.offset(path) == len(PNG)
    assert jobs_of(tus.service, path) == 1


def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "PAUSE_SECONDS", 0.01)
    path = tus.create(len(PNG))
    database = tus.service.app.state.parts.database
    run = database.run
    lost: list[Any] = []

    async def lose_one(work: Any) -> Any:
        answer = await run(work)
        if tus.row(path).completed_at is not None and not lost:
            lost.append(answer)
            raise DatabaseAway
        return answer

    monkeypatch.setattr(database, "run", lose_one)
    assert tus.patch(path, PNG, at=0).status_code == 204
    assert lost == [True]
    assert jobs_of(tus.service, path) == 1


def test_a_failed_sync_ends_the_upload(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has let go of the pages: the length of the file tells more than is there."""
    path = tus.create(900)

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    answer = tus.patch(path, png(900)[:10], at=0)
    monkeypatch.undo()
    assert (answer.status_code, answer.json()["code"]) == (410, "upload_lost")
    assert tus.head(path).status_code == 410


def test_an_answer_says_only_what_a_power_loss_would_leave(
    tus: Tus, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tus.create(900)
    synced: list[int] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    tus.patch(path, png(900)[:10], at=0)
    assert 10 in synced
