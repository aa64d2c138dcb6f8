"""Uploads that came side by side become one, which alone is converted."""

import hashlib
import secrets
from collections.abc import Sequence
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.api.owners import COOKIE
from app.api.resumable import rows
from app.models import Job, Upload
from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import PIECES, UNKNOWN, ServeTus, Tus, id_of, metadata, png


def final(*paths: str) -> str:
    return f"final;{' '.join(paths)}"


def test_parts_become_a_whole_in_their_order(tus: Tus) -> None:
    content = png(900)
    second, first = tus.partial(content[400:]), tus.partial(content[:400])
    sent = metadata(filename="a.png", to="webp", width="7")
    answer = tus.post(Upload_Concat=final(first, second), Upload_Metadata=sent)
    assert (answer.status_code, answer.content) == (201, b"")
    path = answer.headers["location"]
    document = tus.service.document(path)
    assert (document["status"], document["name"], document["size"]) == ("converting", "a.png", 900)
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert [(job["to"], job["options"]) for job in document["jobs"]] == [("webp", {"width": 7})]
    headers = tus.head(path).headers
    assert headers["upload-concat"] == final(first, second)
    assert headers["upload-metadata"] == sent
    assert headers["upload-offset"] == headers["upload-length"] == "900"


def test_parts_can_be_joined_again_and_in_another_order(tus: Tus) -> None:
    """Of each the process has a digest, which must not go on where the last one ended."""
    parts = [PNG[:40], PNG[40:]]
    first, second = (tus.partial(part) for part in parts)
    for paths, content in ((first, second), PNG), ((first, second), PNG), ((first, first), None):
        answer = tus.post(Upload_Concat=final(*paths))
        document = tus.service.document(answer.headers["location"])
        expected = hashlib.sha256(content or parts[0] * 2).hexdigest()
        assert document["sha256"] == expected


def test_addresses_may_be_whole_urls(tus: Tus) -> None:
    parts = [tus.partial(PNG[:20]), tus.partial(PNG[20:])]
    whole = [f"{tus.service.url}{path}" for path in parts]
    answer = tus.post(Upload_Concat=final(*whole))
    assert tus.service.document(answer.headers["location"])["status"] == "converting"


def test_a_part_is_not_converted_itself(tus: Tus) -> None:
    path = tus.partial(PNG)
    assert tus.service.document(path)["status"] == "receiving"
    headers = tus.head(path).headers
    assert (headers["upload-concat"], headers["upload-offset"]) == ("partial", str(len(PNG)))
    assert tus.patch(path, b"", at=len(PNG)).status_code == 204
    with tus.service.sessions() as session:
        assert session.scalar(select(func.count()).select_from(Job)) == 0


def test_a_final_upload_takes_no_bytes(tus: Tus) -> None:
    path = tus.post(Upload_Concat=final(tus.partial(PNG))).headers["location"]
    for at in (0, len(PNG)):
        answer = tus.patch(path, b"", at=at)
        assert (answer.status_code, answer.json()["code"]) == (403, "final_upload")


def test_parts_that_have_not_come_whole_are_refused(tus: Tus) -> None:
    unfinished = tus.post(Upload_Length="9", Upload_Concat="partial").headers["location"]
    deferred = tus.post(Upload_Defer_Length="1", Upload_Concat="partial").headers["location"]
    ordinary = tus.create(len(PNG))
    tus.file(ordinary).write_bytes(PNG)  # whole, but to be converted itself
    for path in (unfinished, deferred, ordinary):
        answer = tus.post(Upload_Concat=final(tus.partial(PNG), path))
        assert (answer.status_code, answer.json()["code"]) == (409, "parts_missing")
    unknown = tus.post(Upload_Concat=final(f"/uploads/{UNKNOWN}"))
    assert (unknown.status_code, unknown.json()["code"]) == (404, "upload_unknown")


def test_a_part_whose_time_is_over_or_that_was_deleted_is_joined_no_more(tus: Tus) -> None:
    late, deleted, refused = (tus.partial(PNG) for _ in range(3))
    tus.delete(deleted)
    with tus.service.sessions.begin() as session:
        of = update(Upload).where
        session.execute(of(Upload.id == id_of(late)).values(expires_at=func.now()))
        error = {"code": "upload_lost", "detail": "It is lost.", "hint": "Again."}
        session.execute(of(Upload.id == id_of(refused)).values(error=error))
    whole = tus.partial(PNG)
    for path, code in (late, "expired"), (deleted, "deleted"), (refused, "upload_lost"):
        for order in ((path, whole), (whole, path)):
            answer = tus.post(Upload_Concat=final(*order))
            assert (answer.status_code, answer.json()["code"]) == (410, code)


def test_the_address_is_enough_to_join_a_part_and_the_whole_is_whose_request_it_was(
    tus: Tus,
) -> None:
    part = tus.partial(PNG)
    other = f"{COOKIE}={secrets.token_urlsafe(32)}"
    path = tus.post(Upload_Concat=final(part), Cookie=other).headers["location"]
    assert tus.service.document(path)["status"] == "converting"
    assert tus.row(path).owner != tus.row(part).owner
    assert tus.delete(path).status_code == 403
    assert tus.delete(path, Cookie=other).status_code == 204


def test_a_thousand_parts_are_looked_up_at_once(tus: Tus, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = tus.partial(PNG[:20]), tus.partial(PNG[20:])
    look, asked = rows.look, list[int]()

    def counted(session: Session, upload_ids: Sequence[UUID]) -> dict[UUID, rows.Row]:
        asked.append(len(upload_ids))
        return look(session, upload_ids)

    monkeypatch.setattr(rows, "look", counted)
    assert tus.post(Upload_Concat=final(one, *[other] * 999)).status_code == 201
    assert asked == [1000]


def test_what_cannot_be_converted_leaves_only_its_parts(tus: Tus) -> None:
    part = tus.partial(b"\x01\x02\x03nothing\x00\xff")
    answer = tus.post(Upload_Concat=final(part))
    assert (answer.status_code, answer.json()["code"]) == (415, "unknown_format")
    assert list((tus.service.settings.data / "incoming").iterdir()) == [tus.file(part)]
    with tus.service.sessions() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 1


def test_the_whole_must_not_be_larger_than_any_upload(serve_tus: ServeTus) -> None:
    tus = serve_tus(max_upload_bytes=100)
    parts = [tus.partial(b"x" * 60), tus.partial(b"x" * 60)]
    answer = tus.post(Upload_Concat=final(*parts))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_parts_of_no_bytes_make_no_file(tus: Tus) -> None:
    empty = tus.post(Upload_Length="0", Upload_Concat="partial").headers["location"]
    answer = tus.post(Upload_Concat=final(empty))
    assert (answer.status_code, answer.json()["code"]) == (422, "empty_file")


def test_parts_go_soon_after_they_were_joined_but_not_at_once(tus: Tus) -> None:
    part = tus.partial(PNG)
    before = tus.row(part).expires_at
    path = tus.post(Upload_Concat=final(part)).headers["location"]
    after = tus.row(part).expires_at
    assert before is not None
    assert after is not None
    assert 0 < (after - tus.row(path).created_at).total_seconds() <= 900
    assert after < before
    again = tus.post(Upload_Concat=final(part))  # its answer was lost, say
    assert again.status_code == 201


def test_a_part_may_come_with_its_creation(tus: Tus) -> None:
    answer = tus.post(
        PNG, Upload_Length=str(len(PNG)), Upload_Concat="partial", Content_Type=PIECES
    )
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, str(len(PNG)))
