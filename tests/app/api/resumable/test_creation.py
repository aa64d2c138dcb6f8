"""tus 1.0, the creation row by row: what it is answered, and what it leaves."""

import hashlib
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import PIECES, UNKNOWN, ServeTus, Tus, id_of, metadata, png


def test_a_new_upload_is_201_with_a_relative_address(tus: Tus) -> None:
    answer = tus.post(Upload_Length="100", Upload_Metadata=metadata(filename="a.png"))
    assert (answer.status_code, answer.content) == (201, b"")
    path = answer.headers["location"]
    assert path == f"/uploads/{id_of(path)}"
    assert answer.headers["tus-resumable"] == "1.0.0"
    assert "upload-offset" not in answer.headers
    assert parsedate_to_datetime(answer.headers["upload-expires"])
    document = tus.service.document(path)
    assert (document["status"], document["received"], document["size"]) == ("receiving", 0, 100)
    assert (document["name"], document["jobs"], document["completed_at"]) == ("a.png", [], None)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Upload_Length": "1", "Upload_Defer_Length": "1"},
        {"Upload_Defer_Length": "0"},
        {"Upload_Defer_Length": "true"},
        {"Upload_Length": "-1"},
        {"Upload_Length": "1.5"},
        {"Upload_Length": "\u0663".encode()},
        {"Upload_Length": "9" * 40},
        {"Upload_Length": "5", "Upload_Metadata": "filename !"},
        {"Upload_Length": "5", "Upload_Metadata": "filename YQ==,filename Yg=="},
        {"Upload_Length": "5", "Upload_Metadata": "a" * 9000},
        {"Upload_Length": "5", "Upload_Concat": "whole"},
        {"Upload_Concat": "final;"},
        {"Upload_Concat": "final;/uploads/../../etc/passwd"},
        {"Upload_Concat": "final;/uploads/x"},
        {"Upload_Length": "5", "Upload_Concat": f"final;/uploads/{UNKNOWN}"},
    ],
)
def test_headers_that_make_no_sense_are_refused(tus: Tus, headers: dict[str, Any]) -> None:
    answer = tus.post(**headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_upload_header")
    assert answer.headers["tus-resumable"] == "1.0.0"


def test_too_large_is_refused_before_the_first_byte(serve_tus: ServeTus) -> None:
    tus = serve_tus(max_upload_bytes=1000)
    answer = tus.post(Upload_Length="1001")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert answer.json()["limit"] == 1000
    assert answer.headers["tus-max-size"] == "1000"
    assert answer.headers["upload-limit"].startswith("max-size=1000")
    assert list((tus.service.settings.data / "incoming").iterdir()) == []


def test_an_empty_file_is_refused_at_once_and_waits_for_nothing(tus: Tus) -> None:
    answer = tus.post(Upload_Length="0")
    assert (answer.status_code, answer.json()["code"]) == (422, "empty_file")


def test_the_first_bytes_may_come_with_the_creation(tus: Tus) -> None:
    content = png(5000)
    answer = tus.post(content[:2000], Upload_Length="5000", Content_Type=PIECES)
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, "2000")
    path = answer.headers["location"]
    assert tus.offset(path) == 2000
    assert tus.file(path).read_bytes() == content[:2000]


def test_a_whole_file_may_come_with_the_creation(tus: Tus) -> None:
    answer = tus.post(PNG, Upload_Length=str(len(PNG)), Content_Type=f"{PIECES}; charset=x")
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, str(len(PNG)))
    assert "upload-expires" not in answer.headers
    document = tus.service.document(answer.headers["location"])
    assert (document["status"], document["format"]) == ("converting", "png")
    assert document["sha256"] == hashlib.sha256(PNG).hexdigest()


def test_a_body_of_another_type_is_not_taken_for_bytes_of_the_file(tus: Tus) -> None:
    answer = tus.post(PNG, Upload_Length=str(len(PNG)), Content_Type="image/png")
    assert answer.status_code == 201
    assert "upload-offset" not in answer.headers
    assert tus.offset(answer.headers["location"]) == 0


def test_beside_an_address_that_ends_in_a_slash_the_id_is_enough(tus: Tus) -> None:
    answer = tus.request("POST", "/uploads/", Upload_Length="100")
    assert (
        f"/uploads/{answer.headers['location']}" == f"/uploads/{id_of(answer.headers['location'])}"
    )
    assert tus.offset(f"/uploads/{answer.headers['location']}") == 0
