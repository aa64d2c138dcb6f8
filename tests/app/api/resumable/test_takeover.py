"""A client comes back while its old request hangs: it gets the true offset, and no byte is lost."""

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.api.resumable import rows
from app.ingest.resumable import appending, turns
from tests.app.api.resumable.conftest import ServeTus, Tus, answer_of, png
from tests.polling import poll

SIZE = 500_000
FIRST = 200_000


@pytest.fixture
def content() -> bytes:
    return png(SIZE)


def assert_nobody_was_waited_for(tus: Tus, path: str) -> None:
    """Only who found the lock taken raises the epoch, and waits until the holder's next beat."""
    assert tus.row(path).writer_epoch == 0


def test_head_ends_a_request_that_hangs_and_tells_all_that_came(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        assert tus.offset(path) == FIRST
        answer = answer_of(old)
    assert_nobody_was_waited_for(tus, path)
    assert b"400 Bad Request" in answer
    assert b"upload_interrupted" in answer
    assert f"upload-offset: {FIRST}".encode() in answer
    assert tus.patch(path, content[FIRST:], at=FIRST).status_code == 204
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_bytes_that_came_a_moment_ago_count_too(tus: Tus, content: bytes) -> None:
    """Nobody has looked at them yet when the newcomer arrives."""
    path = tus.create(SIZE)
    with tus.hanging(path, b"", at=0, length=SIZE) as old:
        poll(lambda: tus.service.app.state.parts.turns._turns)
        for start, end in pairwise(range(0, FIRST + 1, 20_000)):
            old.sendall(content[start:end])
        offset = tus.offset(path)
    assert 0 <= offset <= FIRST
    assert tus.file(path).read_bytes() == content[:offset]
    assert tus.patch(path, content[offset:], at=offset).status_code == 204
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_new_patch_takes_over_too(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        assert tus.patch(path, content[FIRST:], at=FIRST).status_code == 204
        assert b"upload_interrupted" in answer_of(old)
    assert_nobody_was_waited_for(tus, path)
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_document_is_read_without_ending_anything(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        assert tus.service.document(path)["status"] == "receiving"
        old.sendall(content[FIRST:])
        poll(lambda: tus.service.document(path)["status"] == "converting")
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_head_of_those_who_speak_no_tus_ends_nothing(tus: Tus, content: bytes) -> None:
    """As a preview of the link sends it, from wherever it was shared."""
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        answer = tus.head(path, Tus_Resumable=None)
        assert (answer.status_code, answer.headers["upload-offset"]) == (200, str(FIRST))
        assert answer.headers["upload-length"] == str(SIZE)
        old.sendall(content[FIRST:])
        poll(lambda: tus.service.document(path)["status"] == "converting")
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_head_of_those_who_speak_no_tus_completes_what_is_whole(tus: Tus, content: bytes) -> None:
    """A client that forgets the header is told of the last byte, and does not come again."""
    path = tus.create(SIZE)
    tus.file(path).write_bytes(content)
    assert tus.head(path, Tus_Resumable=None).headers["upload-offset"] == str(SIZE)
    assert tus.service.document(path)["status"] == "converting"


def test_head_of_those_who_speak_no_tus_knows_a_file_that_is_gone(tus: Tus) -> None:
    path = tus.create(SIZE)
    tus.file(path).unlink()
    assert tus.head(path, Tus_Resumable=None).status_code == 410


def test_delete_ends_a_request_that_runs(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        assert tus.delete(path).status_code == 204
        assert b"410 Gone" in answer_of(old)
    assert not tus.file(path).exists()
    assert tus.head(path).status_code == 410
    assert tus.row(path).deleted_at is not None
    assert tus.row(path).storage_key is None


def test_who_came_before_the_holder_takes_nothing_from_it(
    tus: Tus, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client has come back meanwhile: what has to wait is the connection that it gave up."""
    path = tus.create(SIZE)
    look, looks, newcomer = rows.look, [0], threading.Event()

    def late(session: Session, upload_ids: Sequence[UUID]) -> dict[UUID, rows.Row]:
        found = look(session, upload_ids)
        looks[0] += 1
        if looks[0] == 1:
            assert newcomer.wait(30)
        return found

    monkeypatch.setattr(rows, "look", late)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        poll(lambda: looks[0])
        with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as new:
            poll(lambda: tus.service.document(path)["received"] == FIRST)
            newcomer.set()
            assert b"423 Locked" in answer_of(old)
            new.sendall(content[FIRST:])
            assert b"204 No Content" in answer_of(new)
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_who_is_taken_over_when_all_has_come_is_told_that_it_is_whole(
    tus: Tus, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appending, "LAST_SECONDS", 30.0)
    path = tus.create(SIZE)
    here = tus.service.app.state.parts.turns._turns
    with (
        tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old,
        ThreadPoolExecutor(1) as newcomer,
    ):
        poll(lambda: tus.service.document(path)["received"] == FIRST)
        asks = newcomer.submit(tus.offset, path)
        poll(lambda: [turn for turn in list(here.values()) if turn._reason is not None])
        old.sendall(content[FIRST:])
        assert b"204 No Content" in answer_of(old)
        assert asks.result() == SIZE
    assert tus.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.rounds(200)
def test_many_who_come_at_once_leave_one_true_file(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    done = threading.Event()

    def insist(_: int) -> None:
        while not done.is_set():
            told = tus.head(path)
            if told.status_code == 423:  # somebody came later, and was faster
                continue
            offset = int(told.headers["upload-offset"])
            answer = tus.patch(path, content[offset : offset + 60_000], at=offset)
            if answer.headers.get("upload-offset") == str(SIZE):
                done.set()

    with ThreadPoolExecutor(4) as clients:
        list(clients.map(insist, range(4)))
    document = tus.service.document(path)
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert document["counts"]["queued"] == 1


def test_who_does_not_let_go_in_time_is_423(
    tus: Tus, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a process does that is frozen: its lock stands, and it finds no epoch raised."""
    import fcntl

    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.2)
    path = tus.create(SIZE)
    with tus.file(path).open("rb") as frozen:
        fcntl.flock(frozen, fcntl.LOCK_EX)
        answers = [tus.head(path), tus.patch(path, content, at=0)]
    for answer in answers:
        assert answer.status_code == 423
        assert answer.headers["retry-after"] == "1"
        assert "upload-offset" not in answer.headers
    assert tus.row(path).writer_epoch == 2
    assert tus.patch(path, content, at=0).status_code == 204


def test_who_read_the_raised_epoch_for_its_own_is_asked_again(
    serve_tus: ServeTus, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two processes one has just locked the file; the other asks before it has read the row."""
    first, second = serve_tus(), serve_tus()
    path = first.create(SIZE)
    look, looks, locked = rows.look, [0], threading.Event()

    def late(session: Session, upload_ids: Sequence[UUID]) -> dict[UUID, rows.Row]:
        looks[0] += 1
        if looks[0] == 2:
            locked.set()
            poll(lambda: second.row(path).writer_epoch == 1)
        return look(session, upload_ids)

    monkeypatch.setattr(rows, "look", late)
    with first.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        assert locked.wait(30)
        answer = second.head(path)
        assert answer.status_code == 200
        assert b"upload_interrupted" in answer_of(old)
    offset = int(answer.headers["upload-offset"])
    assert second.row(path).writer_epoch >= 2
    assert second.patch(path, content[offset:], at=offset).status_code == 204
    assert second.service.document(path)["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_client_that_hangs_up_loses_nothing(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE):
        poll(lambda: tus.service.document(path)["received"] == FIRST)
    assert tus.offset(path) == FIRST


def test_the_last_byte_counts_though_nobody_waits_for_the_answer(tus: Tus, content: bytes) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, content, at=0, length=SIZE):
        pass
    poll(lambda: tus.service.document(path)["status"] == "converting")
    assert tus.offset(path) == SIZE


def test_a_file_that_is_whole_is_recorded_though_its_body_never_ended(
    tus: Tus, content: bytes
) -> None:
    path = tus.create(SIZE)
    with tus.hanging(path, b"%x\r\n%b\r\n" % (SIZE, content), at=0, length=None) as old:
        poll(lambda: tus.service.document(path)["received"] == SIZE)
        assert tus.service.document(path)["status"] == "receiving"
        old.close()
        poll(lambda: tus.service.document(path)["status"] == "converting")


def test_a_silent_client_is_told_to_come_back_and_its_bytes_stay(
    serve_tus: ServeTus, content: bytes
) -> None:
    tus = serve_tus(body_timeout_seconds=0.3)
    path = tus.create(SIZE)
    with tus.hanging(path, content[:FIRST], at=0, length=SIZE) as old:
        answer = answer_of(old)
    assert b"503 Service Unavailable" in answer
    assert b"upload_stalled" in answer
    assert f"upload-offset: {FIRST}".encode() in answer
    assert tus.offset(path) == FIRST


def test_no_seat_is_held_while_bytes_come(tus: Tus, content: bytes) -> None:
    paths = [tus.create(SIZE) for _ in range(3)]
    database = tus.service.app.state.parts.database
    connections = [tus.hanging(path, content[:1000], at=0, length=SIZE) for path in paths]
    for connection in connections:
        connection.__enter__()
    poll(lambda: {tus.service.document(path)["received"] for path in paths} == {1000})
    poll(lambda: database.seats_in_use == 0)
    for connection in connections:
        connection.__exit__(None, None, None)
