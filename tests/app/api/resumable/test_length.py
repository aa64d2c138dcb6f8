"""The length of an upload: known, deferred, declared late; and bodies that do not keep to it."""

import pytest

from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import ServeTus, Tus, png


@pytest.mark.parametrize(("at", "length"), [(5, 70), (7, 0), (5, 3), (1, 10**15)])
def test_bytes_for_another_offset_bring_no_length_either(tus: Tus, at: int, length: int) -> None:
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    answer = tus.patch(path, b"x", at=at, Upload_Length=str(length))
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_offset")
    assert answer.headers["upload-offset"] == "0"
    assert (tus.row(path).size, tus.row(path).error) == (None, None)
    assert tus.patch(path, PNG, at=0, Upload_Length=str(len(PNG))).status_code == 204


@pytest.mark.parametrize(
    ("length", "encoding", "status"), [(70, None, 413), (0, None, 413), (200, "gzip", 415)]
)
def test_a_body_that_is_refused_by_its_headers_brings_no_length_either(
    tus: Tus, length: int, encoding: str | None, status: int
) -> None:
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    sent = {"Upload_Length": str(length), "Content_Encoding": encoding}
    assert tus.patch(path, b"x" * 100, at=0, **sent).status_code == status
    assert (tus.row(path).size, tus.row(path).error) == (None, None)


def test_more_bytes_than_the_length_are_413_and_none_is_written_past_it(tus: Tus) -> None:
    content = png(900)
    path = tus.create(900)
    tus.patch(path, content[:300], at=0)
    announced = tus.patch(path, content[300:] + b"x", at=300)
    assert (announced.status_code, announced.json()["code"]) == (413, "beyond_length")
    assert announced.headers["upload-offset"] == "300"
    assert tus.offset(path) == 300
    unannounced = tus.patch(path, iter([content[300:], b"x" * 100]), at=300)
    assert (unannounced.status_code, unannounced.json()["code"]) == (413, "beyond_length")
    assert unannounced.headers["upload-offset"] == "900"
    stored = tus.service.storage.path(tus.row(path).storage_key or "")
    assert stored.read_bytes() == content


def test_a_length_may_come_late_and_then_stays(tus: Tus) -> None:
    content = png(900)
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    assert tus.head(path).headers["upload-defer-length"] == "1"
    assert "upload-length" not in tus.head(path).headers
    assert tus.service.document(path)["size"] is None
    tus.patch(path, content[:300], at=0)
    assert tus.patch(path, b"", at=300, Upload_Length="299").status_code == 400
    assert tus.patch(path, content[300:600], at=300, Upload_Length="900").status_code == 204
    assert tus.head(path).headers["upload-length"] == "900"
    assert "upload-defer-length" not in tus.head(path).headers
    other = tus.patch(path, content[600:], at=600, Upload_Length="901")
    assert (other.status_code, other.json()["code"]) == (400, "bad_upload_header")
    assert tus.patch(path, content[600:], at=600, Upload_Length="900").status_code == 204
    assert tus.service.document(path)["status"] == "converting"


def test_a_late_length_may_only_end_the_upload(tus: Tus) -> None:
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    tus.patch(path, PNG, at=0)
    assert tus.service.document(path)["status"] == "receiving"
    assert tus.patch(path, b"", at=len(PNG), Upload_Length=str(len(PNG))).status_code == 204
    assert tus.service.document(path)["status"] == "converting"


def test_what_was_deferred_cannot_outgrow_the_limit(serve_tus: ServeTus) -> None:
    tus = serve_tus(max_upload_bytes=1000)
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    declared = tus.patch(path, b"", at=0, Upload_Length="1001")
    announced = tus.patch(path, b"x" * 1001, at=0)
    unannounced = tus.patch(path, iter([b"x" * 600, b"x" * 600]), at=0)
    for answer, offset in (declared, "0"), (announced, "0"), (unannounced, "1000"):
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert answer.headers["tus-max-size"] == "1000"
        assert answer.headers["upload-offset"] == offset
    assert tus.offset(path) == 1000


def test_what_outgrew_the_limit_before_it_was_lowered_gets_no_byte_more(
    serve_tus: ServeTus,
) -> None:
    path = serve_tus(max_upload_bytes=1000).post(Upload_Defer_Length="1").headers["location"]
    tus = serve_tus(max_upload_bytes=500)
    tus.file(path).write_bytes(b"x" * 600)
    for body in (b"y" * 200, iter([b"y" * 200])):
        answer = tus.patch(path, body, at=600)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert answer.headers["upload-offset"] == "600"
    assert tus.file(path).read_bytes() == b"x" * 600


def test_a_file_of_no_bytes_is_refused_whenever_that_is_known(tus: Tus) -> None:
    path = tus.post(Upload_Defer_Length="1").headers["location"]
    early, late = tus.post(Upload_Length="0"), tus.patch(path, b"", at=0, Upload_Length="0")
    for answer in (early, late, tus.patch(path, b"", at=0)):
        assert (answer.status_code, answer.json()["code"]) == (422, "empty_file")
    assert tus.head(path).status_code == 422
    assert tus.service.document(path)["error"]["code"] == "empty_file"


def test_a_part_of_a_file_may_have_no_bytes(tus: Tus) -> None:
    late = tus.post(Upload_Defer_Length="1", Upload_Concat="partial").headers["location"]
    assert tus.patch(late, b"", at=0, Upload_Length="0").status_code == 204
    early = tus.post(Upload_Length="0", Upload_Concat="partial").headers["location"]
    whole = f"final;{early} {tus.partial(PNG)} {late}"
    assert tus.post(Upload_Concat=whole).status_code == 201
