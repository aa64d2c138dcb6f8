"""Results go out whole, in ranges, under safe headers, and never when they should not."""

import hashlib
import os
import re
import time
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from app.api import threads
from app.models import Upload
from tests.app.api.conftest import Service
from tests.app.ingest.lab import open_files_in
from tests.make import job_of
from tests.polling import poll


def ready(service: Service, content: bytes = b"0123456789", **params: Any) -> str:
    """Upload and convert; return the path of the upload."""
    service.hire()
    path: str = service.upload(**params)["links"]["self"]
    service.convert(content)
    return path


def test_a_result_is_sent_with_safe_headers(service: Service) -> None:
    path = ready(service, name="photo.heic.png")
    said = service.document(path)
    assert said["status"] == "ready"
    assert said["links"]["result"] == f"{path}/result"
    result = said["jobs"][0]["result"]
    assert (result["name"], result["size"]) == ("photo.heic.webp", 10)
    assert "storage_key" not in result
    answer = service.client.get(result["href"])
    assert answer.content == b"0123456789"
    headers = answer.headers
    assert headers["content-type"] == "image/webp"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["content-disposition"].startswith('attachment; filename="photo.heic.webp"')
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "private, no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize(
    ("asked", "status", "content"),
    [
        ("bytes=0-3", 206, b"0123"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-2", 206, b"89"),
        ("bytes=5-99", 206, b"56789"),
        ("Bytes=0-3", 206, b"0123"),
        ("bytes=0-3,5000-", 206, b"0123"),
        ("bytes=10-,-4", 206, b"6789"),
        ("bytes=10-", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=10-11,5000-", 416, None),
        ("bytes=5-2", 200, b"0123456789"),
        ("bytes=x-y", 200, b"0123456789"),
        ("lines=1-2", 200, b"0123456789"),
        ("bytes=", 200, b"0123456789"),
        ("bytes=" + "9" * 5000 + "-", 200, b"0123456789"),
        ("bytes=" + "10-11," * 9000 + "10-", 416, None),
        ("bytes=" + "0-0,2-2,4-4," * 3000 + "6-6", 200, b"0123456789"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_ranges(service: Service, asked: str, status: int, content: bytes | None) -> None:
    path = ready(service)
    answer = service.client.get(f"{path}/result", headers={"Range": asked})
    assert answer.status_code == status
    if content is None:
        assert answer.headers["content-range"] == "bytes */10"
        assert answer.json()["code"] == "range_not_satisfiable"
    else:
        assert answer.content == content


def test_a_resumed_download_gets_the_rest_only_of_the_same_file(service: Service) -> None:
    path = ready(service)
    tag = service.client.get(f"{path}/result").headers["etag"]
    same = service.client.get(f"{path}/result", headers={"Range": "bytes=5-", "If-Range": tag})
    other = service.client.get(f"{path}/result", headers={"Range": "bytes=5-", "If-Range": '"x"'})
    far = service.client.get(f"{path}/result", headers={"Range": "bytes=99-", "If-Range": tag})
    assert (same.status_code, same.content) == (206, b"56789")
    assert (far.status_code, far.json()["code"]) == (416, "range_not_satisfiable")
    assert (other.status_code, other.content) == (200, b"0123456789")


def test_several_ranges_come_in_parts(service: Service) -> None:
    path = ready(service)
    answer = service.client.get(f"{path}/result", headers={"Range": "bytes=0-1,4-5,99-"})
    assert answer.status_code == 206
    assert answer.headers["content-type"].startswith("multipart/byteranges; boundary=")
    assert re.findall(r"bytes (\d-\d)/10", answer.text) == ["0-1", "4-5"]


def test_head_tells_length_and_name_without_the_bytes(service: Service) -> None:
    path = ready(service)
    for where in (f"{path}/result", f"{path}/jobs/1/result"):
        answer = service.client.head(where)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-length"] == "10"


def test_a_picture_is_shown_inline_only_when_asked_and_only_a_listed_one(
    service: Service,
) -> None:
    path = ready(service)
    kind = service.client.get(f"{path}/result?inline").headers["content-disposition"]
    assert kind.startswith("inline; ")
    # An upload's own format is never served at all, so what is inline was made here.
    service.client.post(f"{path}/jobs", json={"to": "tiff"})
    service.convert(b"II*\0")
    kind = service.client.get(f"{path}/jobs/2/result?inline").headers["content-disposition"]
    assert kind.startswith("attachment; ")


def test_a_pdf_that_is_shown_inline_may_be_framed_by_our_own_page_alone(service: Service) -> None:
    path = ready(service, to="pdf")
    with service.sessions.begin() as session:
        job = job_of(session, UUID(path.rpartition("/")[2]))
        job.result = {**(job.result or {}), "media_type": "application/pdf"}
    for query, kind in (("", "attachment"), ("?inline", "inline")):
        headers = service.client.get(f"{path}/result{query}").headers
        assert headers["content-disposition"].startswith(f"{kind}; ")
        assert headers["x-content-type-options"] == "nosniff"
        assert ("sandbox" in headers["content-security-policy"]) == (kind == "attachment")
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "SAMEORIGIN"


def test_a_large_result_arrives_whole(service: Service) -> None:
    content = os.urandom(5 * 1024**2 + 17)
    path = ready(service, content)
    answer = service.client.get(f"{path}/result")
    assert hashlib.sha256(answer.content).digest() == hashlib.sha256(content).digest()


def test_a_download_that_runs_survives_the_deletion(service: Service) -> None:
    content = os.urandom(64 * 1024**2)
    path = ready(service, content)
    with service.client.stream("GET", f"{path}/result") as answer:
        pieces = answer.iter_bytes(1024)
        first = next(pieces)
        assert service.client.delete(path).status_code == 204
        got = first + b"".join(pieces)
    assert got == content


def test_no_descriptor_is_left_open(service: Service) -> None:
    path = ready(service)

    for method in ("GET", "HEAD"):
        for extra in ({}, {"Range": "bytes=2-3"}, {"Range": "bytes=99-"}):
            service.client.request(method, f"{path}/result", headers=extra)
    poll(lambda: not open_files_in(service.settings.data / "results"))


def test_the_newest_success_is_the_result_whatever_the_others_do(service: Service) -> None:
    path = ready(service, b"first")
    service.client.post(f"{path}/jobs", json={"to": "jpg"})
    assert service.client.get(f"{path}/result").content == b"first"
    assert service.document(path)["status"] == "converting"
    service.convert(b"second")
    assert service.client.get(f"{path}/result").content == b"second"
    assert service.client.get(f"{path}/jobs/1/result").content == b"first"
    service.client.post(f"{path}/jobs", json={"to": "gif"})
    service.fail(service.claim())
    assert service.client.get(f"{path}/result").content == b"second"
    assert service.document(path)["status"] == "ready"
    failed = service.client.get(f"{path}/jobs/3/result")
    assert (failed.status_code, failed.json()["code"]) == (409, "conversion_failed")


def test_there_is_no_result_yet(service: Service) -> None:
    path = service.upload()["links"]["self"]
    for where in (f"{path}/result", f"{path}/jobs/1/result"):
        answer = service.client.get(where)
        assert (answer.status_code, answer.json()["code"]) == (409, "not_ready")
        assert answer.headers["retry-after"] == "1"
    assert service.client.get(f"{path}/jobs/2/result").json()["code"] == "job_unknown"


def test_a_failed_conversion_says_why_instead_of_a_result(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    service.fail(service.claim(), "too_many_pixels")
    said = service.document(path)
    assert said["status"] == "failed"
    assert said["jobs"][0]["error"]["code"] == "too_many_pixels"
    answer = service.client.get(f"{path}/result")
    assert (answer.status_code, answer.json()["code"]) == (409, "conversion_failed")
    assert re.search("pixels", answer.json()["detail"])


def test_a_cancelled_conversion_has_no_result(service: Service) -> None:
    path = service.upload()["links"]["self"]
    service.client.post(f"{path}/cancel")
    assert service.client.get(f"{path}/result").json()["code"] == "conversion_cancelled"


def test_a_result_file_that_is_missing_is_410_and_not_a_crash(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    key = service.convert()
    service.storage.remove(key)
    answer = service.client.get(f"{path}/result")
    assert (answer.status_code, answer.json()["code"]) == (410, "result_gone")


def test_a_storage_that_is_away_is_503_in_time_and_leaves_nothing_open(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "ANSWER_SECONDS", 0.3)
    service.hire()
    path = service.upload()["links"]["self"]
    file = service.storage.path(service.convert())
    file.unlink()
    os.mkfifo(file)  # to open it takes as long as nobody writes into it
    began = time.monotonic()
    answer = service.client.get(f"{path}/result")
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_away")
    assert time.monotonic() - began < 10  # nobody will write into it
    writer = os.open(file, os.O_WRONLY)  # now it is opened, and nobody waits for it any more
    poll(lambda: no_reader(writer))
    os.close(writer)


def no_reader(writer: int) -> bool:
    try:
        os.write(writer, b"x")
    except BrokenPipeError:
        return True
    return False


def test_an_expired_upload_is_410_before_its_files_are_swept(service: Service) -> None:
    path = ready(service)
    with service.sessions.begin() as session:
        session.execute(update(Upload).values(expires_at=Upload.created_at))
    for where in (path, f"{path}/result"):
        answer = service.client.get(where)
        assert (answer.status_code, answer.json()["code"]) == (410, "expired")
    assert service.client.post(f"{path}/jobs", json={"to": "jpg"}).status_code == 410
