"""Files come in through every door, and their documents say how far they are."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.api.conftest import PNG, Service


def files_in(data: Path) -> list[Path]:
    areas = ("incoming", "objects", "results")
    return [path for area in areas for path in (data / area).rglob("*") if path.is_file()]


def test_a_raw_body_becomes_an_upload_with_a_job(service: Service) -> None:
    answer = service.client.post(
        "/uploads", content=PNG, params={"name": "a.png", "to": "webp", "width": "10"}
    )
    assert answer.status_code == 202
    said = answer.json()
    assert answer.headers["location"] == f"/uploads/{said['id']}" == said["links"]["self"]
    assert said["status"] == "converting"
    assert said["format"] == "png"
    assert said["media_type"] == "image/png"
    assert said["size"] == said["received"] == len(PNG)
    assert said["sha256"] == hashlib.sha256(PNG).hexdigest()
    assert said["counts"]["queued"] == 1
    assert said["expires_at"] is None
    (job,) = said["jobs"]
    assert (job["from"], job["to"], job["kind"]) == ("png", "webp", "image")
    assert job["options"] == {"width": 10}
    assert (job["status"], job["attempt"], job["progress"]) == ("queued", 0, 0)
    del said["manage"]  # which no other answer has
    assert service.document(said["links"]["self"]) == said


def test_a_form_becomes_an_upload_whatever_the_order_of_its_fields(service: Service) -> None:
    answer = service.client.post(
        "/uploads",
        files={"file": ("a.png", PNG)},
        data={"to": ["jpg", "gif"], "quality": "70"},
    )
    assert answer.status_code == 202, answer.text
    jobs = answer.json()["jobs"]
    assert [(job["number"], job["to"]) for job in jobs] == [(1, "jpg"), (2, "gif")]
    assert jobs[0]["options"] == {"quality": 70}


def test_put_takes_the_name_from_the_path(service: Service) -> None:
    answer = service.client.put("/uploads/a%20b.png", content=PNG, params={"to": "jpg"})
    assert answer.status_code == 202
    assert answer.json()["name"] == "a b.png"


def test_put_without_a_name_is_a_file(service: Service) -> None:
    answer = service.client.put("/uploads/", content=PNG)
    assert (answer.status_code, answer.json()["name"]) == (202, "file")


def test_without_a_target_the_default_is_taken(service: Service) -> None:
    assert [job["to"] for job in service.upload(to="")["jobs"]] == ["webp"]


def test_a_target_may_be_named_by_any_of_its_extensions(service: Service) -> None:
    assert [job["to"] for job in service.upload(to=[".JPEG", "jpg"])["jobs"]] == ["jpg"]


def test_a_form_without_scripts_is_led_to_the_page(service: Service) -> None:
    answer = service.client.post(
        "/uploads", files={"file": ("a.png", PNG)}, headers={"Accept": "text/html,*/*;q=0.8"}
    )
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/uploads/")


def test_a_name_that_disagrees_is_said(service: Service) -> None:
    assert service.upload(name="a.png")["name_disagrees"] is None
    assert service.upload(name="a")["name_disagrees"] is None
    said = service.upload(name="a.gif")["name_disagrees"]
    assert said == "The name says gif, but the bytes are png."


@pytest.mark.parametrize(
    ("content", "params", "status", "code", "words"),
    [
        (b"", {}, 422, "empty_file", "no bytes"),
        (b"\x01\x02\x03nothing\x00\xff", {}, 415, "unknown_format", "heic"),
        (b"%!PS-Adobe-3.0\nshowpage\n%%EOF", {}, 415, "unsupported_format", "ps"),
        (PNG, {"to": "docx"}, 422, "impossible_target", "webp"),
        (PNG, {"to": "svg"}, 422, "impossible_target", "Possible: "),
        (PNG, {"to": "\x00'\"<script>"}, 422, "impossible_target", "Possible: "),
        (PNG, {"wdth": "1"}, 422, "bad_options", "width"),
        (PNG, {"width": "no"}, 422, "bad_options", "whole number"),
        (PNG, {"width": ["1", "2"]}, 422, "bad_options", "twice"),
        (PNG, {"wait": "soon"}, 400, "bad_request", "wait"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    service: Service, content: bytes, params: Any, status: int, code: str, words: str
) -> None:
    for answer in (
        service.client.post("/uploads", content=content, params={"name": "x", **params}),
        service.client.put("/uploads/x", content=content, params=params),
        service.client.post("/uploads", files={"file": ("x", content)}, data=params),
    ):
        said = answer.json()
        assert (answer.status_code, said["code"]) == (status, code), said
        assert answer.headers["content-type"] == "application/problem+json"
        assert words in said["detail"]
        assert said["status"] == status
        assert said["hint"]
    assert files_in(service.settings.data) == []


def test_a_form_without_a_file_is_refused(service: Service) -> None:
    answer = service.client.post("/uploads", files={"to": (None, "webp")})
    assert (answer.status_code, answer.json()["code"]) == (400, "no_file")


def test_a_file_over_the_limit_is_refused_with_the_limit(serve: Any) -> None:
    service = serve(max_upload_bytes=100)
    for content in (b"x" * 101, iter([b"x" * 60, b"x" * 60])):
        answer = service.client.post("/uploads", content=content)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert answer.json()["limit"] == 100
    assert files_in(service.settings.data) == []


def test_an_impossible_file_is_refused_before_most_of_it_came(service: Service) -> None:
    sent = 0

    def layers() -> Any:
        nonlocal sent
        yield b"gimp xcf v011\0"
        for _ in range(400):
            sent += 1024**2
            yield b"\0" * 1024**2

    answer = service.client.post("/uploads", content=layers(), params={"name": "a.xcf"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_format")
    assert sent < 40 * 1024**2
    assert files_in(service.settings.data) == []


@pytest.mark.parametrize(
    ("name", "part", "whole"),
    [
        ("Content-Range", ["bytes 9-32/33"], []),
        ("Content-Range", ["bytes 0-66/67"], []),
        ("Upload-Complete", ["?0"], ["?1"]),
        ("Upload-Complete", ["?1", "?0"], ["?1"]),
        ("Upload-Incomplete", ["?1"], ["?0"]),
        ("Upload-Offset", ["9"], ["0"]),
    ],
)
def test_what_is_said_to_be_a_part_is_not_taken_for_a_whole_file(
    service: Service, name: str, part: list[str], whole: list[str]
) -> None:
    ways: list[dict[str, Any]] = [
        {"method": "PUT", "url": "/uploads/a.png", "content": PNG},
        {"method": "POST", "url": "/uploads", "content": PNG},
        {"method": "POST", "url": "/uploads", "files": {"file": ("a.png", PNG)}},
    ]
    for way in ways:
        refused = service.client.request(**way, headers=[(name, said) for said in part])
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_request")
        assert name in refused.json()["detail"]
        assert "tus" in refused.json()["hint"]
        assert files_in(service.settings.data) == []
    (way, *_) = ways
    taken = service.client.request(**way, headers=[(name, said) for said in whole])
    assert taken.status_code == 202


def test_an_unknown_target_is_refused_before_the_body_is_read(service: Service) -> None:
    sent = 0

    def body() -> Any:
        nonlocal sent
        for _ in range(100):
            sent += 1024**2
            yield b"\0" * 1024**2

    answer = service.client.post("/uploads", content=body(), params={"to": "hologram"})
    assert answer.json()["code"] == "impossible_target"
    assert sent < 40 * 1024**2  # what lies in the buffers of both sides


@pytest.mark.parametrize("path", ["/uploads/nobody", f"/uploads/{'0' * 32}", "/uploads/a/b/c"])
def test_an_unknown_upload_is_404(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "upload_unknown"


def test_what_the_row_says_is_what_was_stored(service: Service) -> None:
    said = service.upload()
    (stored,) = files_in(service.settings.data)
    assert stored.read_bytes() == PNG
    assert stored.name == said["id"]


def test_the_document_is_json_whatever_accept_says_short_of_html(service: Service) -> None:
    path = service.upload()["links"]["self"]
    for accept in ("*/*", "application/json", "application/json, text/html;q=0.9", ""):
        answer = service.client.get(path, headers={"Accept": accept})
        assert answer.headers["content-type"] == "application/json"
        assert json.loads(answer.text)["links"]["self"] == path


def test_a_browser_gets_pages(service: Service) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    path = service.upload(name="holiday.png")["links"]["self"]
    page = service.client.get(path, headers=browser)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert "holiday.png" in page.text
    lost = service.client.get("/uploads/nobody", headers=browser)
    assert lost.status_code == 404
    assert lost.headers["content-type"].startswith("text/html")
