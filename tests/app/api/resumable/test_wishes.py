"""What a tus client wants travels in Upload-Metadata, and is refused as early as can be."""

from typing import Any

import pytest

from app.api.resumable import wanting
from tests.app.api.conftest import PNG
from tests.app.api.resumable.conftest import Tus, metadata, png

MIB = 1024**2


def jobs(document: Any) -> list[tuple[str, Any]]:
    return [(job["to"], job["options"]) for job in document["jobs"]]


def test_targets_and_options_are_keys_of_the_metadata(tus: Tus) -> None:
    path = tus.create(len(PNG), to="webp, JPEG", width="10")
    tus.patch(path, PNG, at=0)
    expected = [("webp", {"width": 10}), ("jpg", {"width": 10})]
    assert jobs(tus.service.document(path)) == expected
    assert tus.row(path).wishes is None


def test_the_query_says_the_same(tus: Tus) -> None:
    answer = tus.request(
        "POST", "/uploads?to=webp&width=10&name=a.png", Upload_Length=str(len(PNG))
    )
    path = answer.headers["location"]
    tus.patch(path, PNG, at=0)
    document = tus.service.document(path)
    assert (document["name"], jobs(document)) == ("a.png", [("webp", {"width": 10})])


def test_keys_that_mean_nothing_here_are_given_back_and_ignored(tus: Tus) -> None:
    sent = metadata(
        name="b.png", filename="photo.png", type="image/gif", filetype="image/gif", odd="width=3"
    )
    path = tus.post(Upload_Length=str(len(PNG)), Upload_Metadata=sent).headers["location"]
    tus.patch(path, PNG, at=0)
    document = tus.service.document(path)
    assert (document["name"], document["format"], document["media_type"]) == (
        "photo.png",
        "png",
        "image/png",
    )
    assert jobs(document) == [("webp", {})]
    assert tus.head(path).headers["upload-metadata"] == sent


@pytest.mark.parametrize(
    ("pairs", "code", "words"),
    [
        ({"to": "hologram"}, "impossible_target", "Possible: "),
        ({"to": "webp", "width": "no"}, "bad_options", "whole number"),
        ({"width": "no"}, "bad_options", "whole number"),
        ({"to": ",".join(f"x{number}" for number in range(30))}, "bad_request", "At most"),
    ],
)
def test_what_no_file_can_become_is_refused_before_the_first_byte(
    tus: Tus, pairs: dict[str, str], code: str, words: str
) -> None:
    answer = tus.post(Upload_Length="5", Upload_Metadata=metadata(filename="a.png", **pairs))
    assert answer.json()["code"] == code
    assert words in answer.json()["detail"]
    assert list((tus.service.settings.data / "incoming").iterdir()) == []


def test_a_name_alone_refuses_nothing(tus: Tus) -> None:
    path = tus.create(len(PNG), name="setup.exe")
    tus.patch(path, PNG, at=0)
    assert tus.service.document(path)["status"] == "converting"


def test_what_turns_out_to_be_impossible_at_the_end_is_in_the_row(tus: Tus) -> None:
    content = b"\x01\x02\x03nothing\x00\xff"
    path = tus.create(len(content))
    assert tus.patch(path, content, at=0).status_code == 204
    document = tus.service.document(path)
    assert (document["status"], document["error"]["code"]) == ("failed", "unknown_format")
    assert (document["jobs"], document["received"]) == ([], len(content))
    assert document["completed_at"]
    assert tus.offset(path) == len(content)
    assert tus.patch(path, b"", at=len(content)).status_code == 204
    result = tus.service.client.get(f"{path}/result")
    assert (result.status_code, result.json()["code"]) == (409, "conversion_failed")


def test_a_large_file_that_is_impossible_is_refused_after_its_first_bytes(tus: Tus) -> None:
    content = b"\x7fELF\x02\x01\x01".ljust(3 * MIB, b"\0")
    path = tus.create(len(content), to="webp")
    answer = tus.patch(path, content, at=0)
    refusal = answer.json()
    assert (answer.status_code, refusal["code"]) == (415, "unsupported_format")
    document = tus.service.document(path)
    assert document["status"] == "failed"
    assert document["error"] == {key: refusal[key] for key in ("code", "detail", "hint")}
    assert not tus.file(path).exists()
    again = tus.patch(path, content, at=0)
    assert (again.status_code, again.json()["code"]) == (answer.status_code, refusal["code"])
    assert tus.head(path).status_code == answer.status_code
    assert tus.delete(path).status_code == 204


def test_the_first_bytes_are_looked_at_however_small_the_steps_are(tus: Tus) -> None:
    content = b"\x7fELF\x02\x01\x01".ljust(3 * MIB, b"\0")
    path = tus.create(len(content), to="webp")
    sent = 0
    while (answer := tus.patch(path, content[sent : sent + 400_000], at=sent)).status_code == 204:
        sent += 400_000
    assert answer.status_code == 415
    assert sent < MIB + 400_000


def test_another_job_can_be_added_only_to_what_is_whole(tus: Tus) -> None:
    path = tus.create(900)
    tus.patch(path, png(900)[:10], at=0)
    answer = tus.service.client.post(f"{path}/jobs", json={"to": "webp"})
    assert (answer.status_code, answer.json()["code"]) == (409, "still_receiving")
    tus.patch(path, png(900)[10:], at=10)
    assert tus.service.client.post(f"{path}/jobs", json={"to": "jpg"}).status_code == 202


def test_a_long_poll_hears_of_bytes_and_of_the_end(tus: Tus) -> None:
    path = tus.create(900)
    tag = tus.service.client.get(path).headers["etag"]
    tus.patch(path, png(900)[:10], at=0)
    headers = {"If-None-Match": tag, "Prefer": "wait=20"}
    assert tus.service.client.get(path, headers=headers).json()["received"] == 10


def test_a_password_is_not_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        wanting,
        "_options",
        lambda: [type("Locked", (), {"secret": {"password"}, "model_fields": {}})],
    )
    assert wanting.without_secrets("filename YQ==, password c2VjcmV0,b") == "filename YQ==,b"
    assert wanting.without_secrets("filename YQ==, x") == "filename YQ==, x"
    assert wanting.without_secrets(None) is None
