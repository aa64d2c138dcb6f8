"""tus 1.0, row by row: what each request is answered, and what it leaves."""

import hashlib
from email.utils import parsedate_to_datetime

import pytest

from tests.app.api.conftest import PNG, Service
from tests.app.api.resumable.conftest import PIECES, UNKNOWN, Tus, metadata, png


def test_options_tells_what_is_spoken(tus: Tus) -> None:
    for path in ("/uploads", f"/uploads/{UNKNOWN}"):
        answer = tus.request("OPTIONS", path, Tus_Resumable="0.2.0")
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["tus-version"] == answer.headers["tus-resumable"] == "1.0.0"
        assert set(answer.headers["tus-extension"].split(",")) == {
            "creation",
            "creation-with-upload",
            "creation-defer-length",
            "termination",
            "expiration",
            "concatenation",
        }
        most = str(tus.service.settings.max_upload_bytes)
        assert answer.headers["tus-max-size"] == most
        assert answer.headers["upload-limit"] == f"max-size={most}, min-size=1, max-age=86400"


@pytest.mark.parametrize("version", [None, "0.2.2", "1.0.1"])
def test_another_version_is_refused_and_nothing_is_done(tus: Tus, version: str | None) -> None:
    path = tus.create(len(PNG))
    refused = [
        tus.post(Tus_Resumable=version, Upload_Metadata=metadata(filename="a.png")),
        tus.post(PNG, Tus_Resumable=version, Upload_Length=str(len(PNG))),
        tus.patch(path, PNG, at=0, Tus_Resumable=version),
    ]
    if version is not None:
        refused.append(tus.delete(path, Tus_Resumable=version))
    for answer in refused:
        assert (answer.status_code, answer.json()["code"]) == (412, "wrong_tus_version")
        assert answer.headers["tus-version"] == answer.headers["tus-resumable"] == "1.0.0"
    assert tus.head(path, Tus_Resumable=version).headers["upload-offset"] == "0"


def test_a_delete_without_the_version_is_what_it_is_for_every_upload(tus: Tus) -> None:
    path = tus.create(len(PNG))
    assert tus.delete(path, Tus_Resumable=None).status_code == 204
    assert tus.head(path).status_code == 410


def test_an_upload_of_the_ietfs_dialect_is_one_in_one_go(tus: Tus) -> None:
    sent = {"Upload_Complete": "?1", "Upload_Length": str(len(PNG))}
    answer = tus.request("POST", "/uploads?name=a.png", PNG, Tus_Resumable=None, **sent)
    assert answer.status_code == 202


def test_head_tells_where_the_upload_stands(tus: Tus) -> None:
    sent = f"{metadata(filename='ä.png', to='webp')} , odd  ,caption {'aGVsbG8='}".replace(
        "  ", " "
    )
    path = tus.post(Upload_Length="900", Upload_Metadata=sent).headers["location"]
    tus.patch(path, png(900)[:300], at=0)
    answer = tus.head(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert (answer.headers["upload-offset"], answer.headers["upload-length"]) == ("300", "900")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["upload-metadata"] == sent
    assert answer.headers["tus-resumable"] == "1.0.0"
    assert "upload-defer-length" not in answer.headers
    assert "content-length" not in answer.headers


def test_head_of_a_whole_upload_tells_its_length(tus: Tus) -> None:
    path = tus.create(len(PNG))
    tus.patch(path, PNG, at=0)
    headers = tus.head(path).headers
    assert headers["upload-offset"] == headers["upload-length"] == str(len(PNG))
    assert headers["cache-control"] == "no-store"
    assert "upload-expires" not in headers


def test_head_without_the_version_is_answered_while_the_file_comes(tus: Tus) -> None:
    path = tus.create(900)
    answer = tus.head(path, Tus_Resumable=None)
    assert (answer.headers["upload-offset"], answer.headers["tus-resumable"]) == ("0", "1.0.0")
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", [f"/uploads/{UNKNOWN}", "/uploads/nobody"])
def test_an_unknown_upload_is_404_without_an_offset(tus: Tus, path: str) -> None:
    for answer in (tus.head(path), tus.patch(path, b"x", at=0), tus.delete(path)):
        assert answer.status_code == 404
        assert "upload-offset" not in answer.headers
        assert answer.headers["tus-resumable"] == "1.0.0"
    assert tus.head(path).headers["cache-control"] == "no-store"


def test_a_deleted_upload_is_gone(tus: Tus) -> None:
    path = tus.create(900)
    tus.patch(path, b"x" * 10, at=0)
    assert (tus.delete(path).status_code, tus.delete(path).status_code) == (204, 410)
    for answer in (tus.head(path), tus.patch(path, b"x", at=10)):
        assert answer.status_code == 410
        assert "upload-offset" not in answer.headers
    assert not tus.file(path).exists()
    assert tus.row(path).sent_metadata is None
    assert tus.row(path).wishes is None


def test_a_patch_moves_the_offset(tus: Tus) -> None:
    content = png(900)
    path = tus.create(len(content))
    first = tus.patch(path, content[:300], at=0)
    assert (first.status_code, first.headers["upload-offset"]) == (204, "300")
    assert parsedate_to_datetime(first.headers["upload-expires"])
    last = tus.patch(path, content[300:], at=300)
    assert (last.status_code, last.headers["upload-offset"]) == (204, "900")
    assert "upload-expires" not in last.headers
    document = tus.service.document(path)
    assert (document["status"], document["received"], document["size"]) == ("converting", 900, 900)
    assert document["sha256"] == hashlib.sha256(content).hexdigest()
    assert tus.service.storage.path(tus.row(path).storage_key or "").read_bytes() == content


def test_a_patch_of_another_type_is_415(tus: Tus) -> None:
    path = tus.create(10)
    for media_type in ("application/octet-stream", None):
        answer = tus.patch(path, b"x", at=0, Content_Type=media_type)
        assert (answer.status_code, answer.json()["code"]) == (415, "bad_media_type")
    assert tus.offset(path) == 0


@pytest.mark.parametrize("at", [None, "-1", "x", "1.0", ""])
def test_a_patch_without_a_usable_offset_is_400(tus: Tus, at: str | None) -> None:
    path = tus.create(10)
    answer = tus.patch(path, b"x", at=0, Upload_Offset=at)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_upload_header")


@pytest.mark.parametrize("at", [0, 299, 301, 10**15])
def test_bytes_for_another_offset_are_409_with_the_true_one(tus: Tus, at: int) -> None:
    content = png(900)
    path = tus.create(900)
    tus.patch(path, content[:300], at=0)
    answer = tus.patch(path, content[300:], at=at)
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_offset")
    assert answer.headers["upload-offset"] == "300"
    assert tus.file(path).read_bytes() == content[:300]


def test_the_last_patch_again_changes_nothing(tus: Tus) -> None:
    path = tus.create(len(PNG))
    tus.patch(path, PNG, at=0)
    before = tus.service.document(path)
    again = tus.patch(path, b"", at=len(PNG))
    assert (again.status_code, again.headers["upload-offset"]) == (204, str(len(PNG)))
    assert tus.patch(path, PNG, at=0).status_code == 409
    more = tus.patch(path, b"x", at=len(PNG))
    assert (more.status_code, more.json()["code"]) == (413, "beyond_length")
    assert more.headers["upload-offset"] == str(len(PNG))
    assert tus.service.document(path) == before


def test_a_post_can_be_what_its_override_says(tus: Tus) -> None:
    path = tus.create(len(PNG))
    override = {"Content_Type": PIECES, "Upload_Offset": "0", "X_HTTP_Method_Override": "PATCH"}
    answer = tus.request("POST", path, PNG[:10], **override)
    assert (answer.status_code, answer.headers["upload-offset"]) == (204, "10")
    head = tus.request("POST", path, X_HTTP_Method_Override="HEAD")
    assert (head.status_code, head.headers["upload-offset"]) == (200, "10")
    assert tus.request("POST", path, X_HTTP_Method_Override="DELETE").status_code == 204
    assert tus.head(path).status_code == 410
    twice = ["X-HTTP-Method-Override", "HEAD", "DELETE"]
    answer = tus.lines("POST", tus.create(5), twice, ["Tus-Resumable", "1.0.0"])
    assert answer.status_code == 405
    plain = {"Tus_Resumable": None, "X_HTTP_Method_Override": "DELETE"}
    assert tus.request("POST", tus.create(5), **plain).status_code == 405


def test_an_encoding_is_refused(tus: Tus) -> None:
    path = tus.create(10)
    answer = tus.patch(path, b"x", at=0, Content_Encoding="gzip")
    assert (answer.status_code, answer.json()["code"]) == (415, "encoded_body")


def test_every_refusal_is_a_problem_for_a_program(service: Service, tus: Tus) -> None:
    for answer in (tus.post(), tus.patch(tus.create(5), b"x", at=3)):
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == f"urn:rowmill:error:{answer.json()['code']}"
