"""What people ask of jobs: another format, once more, stop; and deletion against all of it."""

import threading
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from app.models import Event, Job, Upload
from app.states import Move
from tests import plain
from tests.app.api.conftest import PNG, Service
from tests.polling import poll


def files_in(data: Path) -> list[Path]:
    areas = ("incoming", "objects", "results")
    return [path for area in areas for path in (data / area).rglob("*") if path.is_file()]


def uploaded(service: Service, **params: Any) -> str:
    service.hire()
    path: str = service.upload(**params)["links"]["self"]
    return path


def test_another_format_is_another_job_of_the_same_upload(service: Service) -> None:
    path = uploaded(service)
    service.convert()
    for number, asked in enumerate(
        (
            {"json": {"to": "jpg", "options": {"quality": 50, "width": "12"}}},
            {"json": {"to": ["gif"]}},
            {"data": {"to": "tiff", "height": "5"}},
            {"params": {"to": "bmp"}},
            {"json": {}},
        ),
        start=2,
    ):
        answer = service.client.post(f"{path}/jobs", **asked)  # type: ignore[arg-type]
        assert answer.status_code == 202, answer.text
        assert answer.headers["location"] == path
        assert answer.json()["jobs"][-1]["number"] == number
    jobs = service.document(path)["jobs"]
    assert [job["to"] for job in jobs] == ["webp", "jpg", "gif", "tiff", "bmp", "webp"]
    assert jobs[1]["options"] == {"quality": 50, "width": 12}
    assert jobs[3]["options"] == {"height": 5}


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, 400, "bad_request"),
        ({"json": [1]}, 400, "bad_request"),
        ({"json": {"to": 5}}, 400, "bad_request"),
        ({"json": {"tö": "jpg"}}, 400, "bad_request"),
        ({"json": {"to": "jpg", "options": "x"}}, 400, "bad_request"),
        ({"json": {"to": "jpg", "options": {"sharpness": 1}}}, 422, "bad_options"),
        ({"json": {"to": "docx"}}, 422, "impossible_target"),
        ({"data": {"to": "docx"}}, 422, "impossible_target"),
        ({"content": b"<a/>", "headers": {"Content-Type": "text/xml"}}, 415, "bad_media_type"),
        ({"content": b"x" * 70_000, "headers": {"Content-Type": "a/b"}}, 413, "too_large"),
        ({"files": {"to": (None, "jpg")}}, 415, "bad_media_type"),
    ],
)
def test_a_wish_that_makes_no_sense_adds_no_job(
    service: Service, asked: Any, status: int, code: str
) -> None:
    path = uploaded(service)
    answer = service.client.post(f"{path}/jobs", **asked)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert len(service.document(path)["jobs"]) == 1


def test_a_failed_job_is_tried_again_as_if_for_the_first_time(service: Service) -> None:
    path = uploaded(service)
    service.fail(service.claim())
    assert service.document(path)["status"] == "failed"
    answer = service.client.post(f"{path}/jobs/1/again")
    assert answer.status_code == 202
    (job,) = answer.json()["jobs"]
    assert (job["status"], job["attempt"], job["error"]) == ("queued", 0, None)
    assert answer.json()["status"] == "converting"
    assert answer.json()["expires_at"] is None


def test_only_what_failed_or_was_cancelled_is_tried_again(service: Service) -> None:
    path = uploaded(service)
    for _ in range(2):
        answer = service.client.post(f"{path}/jobs/1/again")
        assert (answer.status_code, answer.json()["code"]) == (409, "job_not_ended")
    service.convert()
    assert service.client.post(f"{path}/jobs/1/again").status_code == 409
    assert service.client.post(f"{path}/jobs/9/again").json()["code"] == "job_unknown"


def test_a_cancelled_job_can_be_cancelled_again_but_not_an_ended_one(service: Service) -> None:
    path = uploaded(service, to=["jpg", "webp", "gif"])
    for _ in range(2):
        answer = service.client.post(f"{path}/jobs/1/cancel")
        assert answer.status_code == 200
        assert answer.json()["jobs"][0]["status"] == "cancelled"
        assert answer.json()["status"] == "converting"
    service.convert()
    answer = service.client.post(f"{path}/jobs/2/cancel")
    assert (answer.status_code, answer.json()["code"]) == (409, "already_ended")
    assert service.client.post(f"{path}/cancel").json()["counts"]["cancelled"] == 2
    assert service.client.post(f"{path}/cancel").status_code == 409
    assert service.document(path)["status"] == "ready"


def test_all_cancelled_is_cancelled(service: Service) -> None:
    path = uploaded(service)
    assert service.client.post(f"{path}/cancel").json()["status"] == "cancelled"
    assert service.client.post(f"{path}/cancel").status_code == 200


def test_forms_without_scripts_are_led_back_to_the_page(service: Service) -> None:
    path = uploaded(service)
    browser = {"Accept": "text/html"}
    for act in ("cancel", "jobs/1/again", "jobs"):
        answer = service.client.post(f"{path}/{act}", headers=browser)
        assert (answer.status_code, answer.headers["location"]) == (303, path)


def test_a_job_too_many_is_refused(service: Service) -> None:
    path = uploaded(service)
    for _ in range(11):
        service.client.post(
            f"{path}/jobs",
            json={"to": ["jpg", "gif", "bmp", "ico", "avif", "tiff", "pdf", "png", "webp"]},
        )
    answer = service.client.post(
        f"{path}/jobs",
        json={"to": ["jpg", "gif", "bmp", "ico", "avif", "tiff", "pdf", "png", "webp"]},
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_jobs")


def test_deletion_leaves_a_blank_tombstone_and_no_file(service: Service) -> None:
    path = uploaded(service, to=["jpg", "webp"], name="secret.png")
    service.convert()
    running = service.claim()
    assert len(files_in(service.settings.data)) == 2
    with service.sessions.begin() as session:
        session.execute(update(Upload).values(expires_at=datetime(2040, 1, 1, tzinfo=UTC)))
    assert service.client.delete(path).status_code == 204
    assert files_in(service.settings.data) == []
    with service.sessions.begin() as session:
        upload = session.scalars(select(Upload)).one()
        assert (upload.name, upload.sha256, upload.storage_key) == ("", None, None)
        assert upload.deleted_at is not None
        assert upload.expires_at is None
        lease = session.scalars(select(Job.lease_id).where(Job.id == running.job_id)).one()
        assert lease is None
        results = session.scalars(select(Job.result).where(Job.result.is_not(None))).all()
        assert results
        assert all("facts" not in (result or {}) for result in results)
    for method, where in (
        ("GET", path),
        ("GET", f"{path}/result"),
        ("POST", f"{path}/jobs"),
        ("POST", f"{path}/jobs/1/again"),
        ("POST", f"{path}/cancel"),
    ):
        answer = service.client.request(method, where)
        assert (answer.status_code, answer.json()["code"]) == (410, "deleted")
    assert service.client.delete(path).status_code == 204


def test_a_form_deletes_and_leads_to_the_start(service: Service) -> None:
    path = uploaded(service)
    answer = service.client.post(f"{path}/delete", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert service.client.get(path).status_code == 410
    assert files_in(service.settings.data) == []


def test_deletion_against_everything_leaves_no_open_job_and_no_file(service: Service) -> None:
    """Eight people do things to an upload at once, one of them deletes it."""
    service.hire()
    for _ in range(6):
        path = service.upload(to=["jpg", "webp"])["links"]["self"]
        claimed = service.claim()
        acts = [
            lambda p=path: service.client.delete(p),
            lambda p=path: service.client.post(f"{p}/jobs", json={"to": "gif"}),
            lambda p=path: service.client.post(f"{p}/cancel"),
            lambda p=path: service.client.post(f"{p}/jobs/1/again"),
            lambda p=path: service.client.post(f"{p}/jobs/2/cancel"),
            lambda p=path: service.client.get(f"{p}/result"),
            lambda p=path: service.client.get(p),
            lambda c=claimed: finish_if_held(service, c),
        ]
        threads = [threading.Thread(target=act) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert service.client.get(path).status_code == 410
    with service.sessions.begin() as session:
        still_open = select(func.count()).where(Job.status.in_(["queued", "running"]))
        assert session.scalar(still_open) == 0
    poll(lambda: files_in(service.settings.data) == [])


def finish_if_held(service: Service, claimed: Any) -> None:
    """As a worker does: who has lost the lease removes the own file."""
    from app.storage import keys

    try:
        service.finish(claimed)
    except AssertionError:
        service.storage.remove(keys.result_key(claimed.upload_id, claimed.number, claimed.lease_id))


def test_a_result_that_was_recorded_just_before_the_deletion_goes_too(service: Service) -> None:
    path = uploaded(service)
    service.convert()
    service.client.delete(path)
    assert files_in(service.settings.data) == []


def test_a_change_wakes_the_workers_once_for_a_crowd(service: Service) -> None:
    import select as sockets

    listener = service.sessions.kw["bind"].raw_connection()
    listener.driver_connection.autocommit = True
    with listener.cursor() as cursor:
        cursor.execute("LISTEN rowmill_jobs")
    began = listener.driver_connection.notifies
    with plain.Client(base_url=service.url) as client:
        threads = [
            threading.Thread(target=lambda: client.post("/uploads", content=PNG)) for _ in range(10)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    heard = 0
    while sockets.select([listener.driver_connection], [], [], 0.5)[0]:
        listener.driver_connection.poll()
        heard += len(began)
        began.clear()
    listener.close()
    assert 1 <= heard <= 10


def test_every_change_is_an_event(service: Service) -> None:
    path = uploaded(service)
    service.client.post(f"{path}/cancel")
    service.client.post(f"{path}/jobs/1/again")
    with service.sessions.begin() as session:
        moves = session.scalars(select(Event.move).order_by(Event.id)).all()
    assert moves == [Move.ENQUEUE, Move.CANCEL, Move.AGAIN]


def test_an_unknown_upload_has_no_jobs(service: Service) -> None:
    nobody = f"/uploads/{uuid.uuid4()}"
    for act in ("jobs", "cancel", "jobs/1/again", "jobs/1/cancel"):
        answer = service.client.post(f"{nobody}/{act}")
        assert (answer.status_code, answer.json()["code"]) == (404, "upload_unknown")
