"""What operators and their machines are told."""

import os
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.api import threads
from app.api.database import NotOpen
from app.api.metrics import open_jobs
from app.db import Sessions
from app.main import create_app
from app.settings import BadSetting, Settings
from app.storage import DiskStorage
from tests.app.api.conftest import OFFERS, Serve, Service, metrics, settings_for
from tests.make import make_job, make_worker
from tests.polling import poll

MANY_ENDED = """
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at)
SELECT id, number, 'image', '{"from": "png", "to": "jpg"}', 'cancelled', now()
FROM (SELECT id FROM uploads LIMIT 1) AS one, generate_series(2, 20001) AS number
"""


def test_ready_says_what_was_checked_and_who_works(service: Service) -> None:
    service.hire("w-a", offers={**OFFERS, "problems": ["No Landlock: office is not offered."]})
    said = service.client.get("/readyz").json()
    assert said["status"] == "ready"
    assert all(check["ok"] for check in said["checks"].values())
    assert set(said["checks"]) == {"database", "schema", "house", "storage"}
    (worker,) = said["workers"]
    assert (worker["name"], worker["kinds"]) == ("w-a", ["image"])
    assert worker["problems"] == ["No Landlock: office is not offered."]


def test_a_storage_of_another_house_is_not_ready(service: Service) -> None:
    (service.settings.data / "house").write_text(f"{uuid.uuid4()}\n")
    answer = service.client.get("/readyz")
    assert answer.status_code == 503
    assert "belongs to house" in answer.json()["checks"]["house"]["detail"]


def test_a_full_disk_is_said_and_everything_else_goes_on(service: Service) -> None:
    parts = service.app.state.parts
    full = DiskStorage(service.settings.data, reserve=1 << 62)
    service.app.state.parts = replace(parts, storage=full)
    answer = service.client.get("/readyz")
    storage = answer.json()["checks"]["storage"]
    assert (answer.status_code, storage) == (200, {"ok": True, "free_bytes": 0, "full": True})


def test_a_storage_that_is_away_is_asked_once_and_holds_no_seat(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "ANSWER_SECONDS", 0.3)
    path = service.upload()["links"]["self"]
    marker = service.settings.data / "house"
    said = marker.read_text()
    marker.unlink()
    os.mkfifo(marker)  # to open it takes as long as nobody writes into it
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(service.client.get, "/readyz") for _ in range(3)]
        answers = [future.result(20) for future in asked]
    assert {answer.status_code for answer in answers} == {503}
    assert all("The storage does not answer." in answer.text for answer in answers)
    assert sum(thread.name.startswith("probing") for thread in threading.enumerate()) == 1
    assert service.app.state.parts.database.seats_in_use == 0
    assert service.document(path)["status"] == "converting"
    marker.write_text(said)
    marker.unlink()
    marker.write_text(said)
    poll(lambda: service.client.get("/readyz").status_code == 200)


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz", "/formats", "/metrics", "/docs"])
def test_head_is_get_without_the_body(service: Service, path: str) -> None:
    got, head = service.client.get(path), service.client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == got.headers["content-type"]


def test_a_storage_of_another_house_stops_the_start(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "house").write_text(f"{uuid.uuid4()}\n")
    assert_does_not_start(settings_for(database_url, data), "belongs to house")


def test_an_empty_folder_under_a_database_with_uploads_stops_the_start(
    service: Service, tmp_path: Path
) -> None:
    service.upload()
    elsewhere = settings_for(service.settings.database_url or "", tmp_path / "other")
    assert_does_not_start(elsewhere, "no file named 'house'")


def test_an_old_schema_stops_the_start_with_the_command(service: Service, tmp_path: Path) -> None:
    with service.sessions.begin() as session:
        session.execute(text("DROP TABLE alembic_version"))
    assert_does_not_start(service.settings, "rowmill migrate")


def assert_does_not_start(settings: Settings, reason: str) -> None:
    import asyncio

    async def start() -> None:
        app = create_app(settings)
        async with app.router.lifespan_context(app):
            pass

    with pytest.raises(NotOpen, match=reason):
        asyncio.run(start())


def test_without_a_database_url_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="DATABASE_URL"):
        create_app(Settings(data=tmp_path))


def test_metrics_count_what_waits_and_who_works(service: Service) -> None:
    service.hire(busy=1)
    for _ in range(3):
        service.upload()
    service.claim()
    found = metrics(service)
    assert found["rowmill_jobs", ("image", "queued")] == 2
    assert found["rowmill_jobs", ("image", "running")] == 1
    assert found["rowmill_oldest_queued_seconds", ("image",)] >= 0
    assert found["rowmill_workers", ()] == 1
    assert found["rowmill_worker_slots", ()] == 4
    assert found["rowmill_worker_slots_busy", ()] == 1
    assert found["rowmill_database_up", ()] == 1
    assert found["rowmill_uploads_total", ()] == 3
    assert found["rowmill_http_requests_total", ("POST", "202")] == 3
    assert ("rowmill_database_seats", ()) in found
    assert ("rowmill_long_polls", ()) in found


def test_metrics_read_none_of_the_jobs_that_have_ended(sessions: Sessions) -> None:
    with sessions.begin() as session:
        make_worker(session)
        make_job(session, status="running", worker="w-1")
        make_job(session)
        session.execute(text(MANY_ENDED))
        session.execute(text("ANALYZE jobs"))
        counting = open_jobs().compile(session.get_bind(), compile_kwargs={"literal_binds": True})
        plan = session.scalar(text(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {counting}"))
        pages = session.scalar(text("SELECT pg_relation_size('jobs') / 8192"))
    found = plan[0]["Plan"]
    assert found["Actual Rows"] == 2
    assert found["Shared Hit Blocks"] + found["Shared Read Blocks"] < 20 < pages / 10


def test_formats_list_every_pair_with_its_options(service: Service) -> None:
    service.hire()
    said = service.client.get("/formats").json()
    pairs = {(pair["from"], pair["to"]): pair for pair in said["pairs"]}
    assert pairs["png", "webp"]["available"] is True
    assert pairs["png", "webp"]["default"] is True
    assert pairs["heic", "jpg"]["available"] is False
    assert pairs["heic", "jpg"]["options"] == "#/options/image"
    assert "width" in said["options"]["image"]["properties"]
    named = {one["name"] for one in said["formats"]}
    assert {name for pair in pairs for name in pair} == named


def reason_against_heic(service: Service) -> str:
    pairs = service.client.get("/formats").json()["pairs"]
    [pair] = [one for one in pairs if (one["from"], one["to"]) == ("heic", "jpg")]
    assert pair["available"] is False
    return str(pair["reason"])


def test_formats_say_that_nobody_is_there_to_convert(service: Service) -> None:
    assert reason_against_heic(service) == "No worker is running."
    service.hire()
    assert reason_against_heic(service) == "No running worker offers this kind."


@pytest.mark.parametrize("what", ["image", "image:heic>jpg"])
def test_formats_say_what_a_worker_lacks(service: Service, what: str) -> None:
    service.hire()
    service.hire("w-2", offers={"reasons": {"image:png>jpg": "other", what: "no HEVC decoder"}})
    assert reason_against_heic(service) == "no HEVC decoder"


def test_the_docs_load_nothing_from_anywhere(service: Service) -> None:
    page = service.client.get("/docs")
    assert page.status_code == 200
    assert "<code>POST /uploads</code>" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in page.text
    assert service.client.get("/redoc").status_code == 404


def test_the_description_names_every_route_and_its_problems(service: Service) -> None:
    said: Any = service.client.get("/openapi.json").json()
    assert set(said["paths"]) == {
        "/uploads",
        "/uploads/{name}",
        "/uploads/{upload_id}",
        "/uploads/{upload_id}/jobs",
        "/uploads/{upload_id}/jobs/{number}/again",
        "/uploads/{upload_id}/jobs/{number}/cancel",
        "/uploads/{upload_id}/cancel",
        "/uploads/{upload_id}/result",
        "/uploads/{upload_id}/jobs/{number}/result",
        "/uploads/results.zip",
        "/uploads/{upload_id}/results.zip",
        "/formats",
        "/healthz",
        "/readyz",
        "/metrics",
    }
    assert "UploadDocument" in said["components"]["schemas"]


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_every_answer_has_safe_headers(service: Service, accept: str) -> None:
    path = service.upload()["links"]["self"]
    for where in ("/", "/formats", path, "/nowhere", "/healthz", "/docs", f"{path}/result"):
        headers = service.client.get(where, headers={"Accept": accept}).headers
        assert headers["x-content-type-options"] == "nosniff", where
        assert headers["x-frame-options"] == "DENY", where
        assert "frame-ancestors 'none'" in headers["content-security-policy"], where
        assert headers["referrer-policy"] == "same-origin", where


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://["}, False),
        ({"Origin": "{own}"}, True),
        ({"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}, True),
    ],
)
def test_pages_of_other_sites_give_no_orders(
    service: Service, headers: dict[str, str], allowed: bool
) -> None:
    path = service.upload()["links"]["self"]
    given = {name: value.format(own=service.url) for name, value in headers.items()}
    for method, where in (("POST", "/uploads"), ("PUT", "/uploads/x"), ("DELETE", path)):
        content = None if method == "DELETE" else b"\x89PNG\r\n\x1a\n" + b"x" * 90
        answer = service.client.request(method, where, headers=given, content=content)
        assert (answer.status_code < 300) is allowed
        if not allowed:
            assert answer.json()["code"] == "cross_site"
    assert service.client.get("/formats", headers=given).status_code == 200


def test_two_apps_live_in_one_process(serve: Serve) -> None:
    first, second = serve(), serve()
    path = first.upload()["links"]["self"]
    assert second.document(path)["status"] == "converting"
