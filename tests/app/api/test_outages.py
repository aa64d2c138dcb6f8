"""The database goes away, comes back, is full or slow: 503 in time, nothing lost, never 500."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import func, select, text

from app import schema
from app.api import reception
from app.db import API_SEATS, KEPT_SEATS, Sessions
from app.main import create_app
from app.models import Job, Upload
from app.storage import DiskStorage
from tests import plain
from tests.app.api.conftest import PNG, Serve, Service, Serving, settings_for
from tests.polling import poll
from tests.postgres import Server, installed

LATER = 1e6
ALL_SEATS = API_SEATS


@pytest.fixture(scope="module")
def frail_postgres() -> Iterator[Server]:
    """A server of this file's own, which its tests stop and start."""
    server = Server(installed()["18"])
    schema.upgrade(server.template_url())
    yield server
    server.stop()


@pytest.fixture
def database_url(frail_postgres: Server) -> Iterator[str]:
    with frail_postgres.database() as url:
        yield url


def assert_unavailable(answer: httpx.Response, began: float) -> None:
    assert time.monotonic() - began < 4  # two seconds, and what a busy test machine adds
    assert answer.status_code == 503, answer.text
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["code"] == "database_away"


def test_without_the_database_every_request_is_503_in_time_and_then_all_is_well(
    service: Service, frail_postgres: Server
) -> None:
    path = service.upload()["links"]["self"]
    frail_postgres.halt()
    try:
        for method, where in (
            ("GET", path),
            ("GET", f"{path}/result"),
            ("POST", f"{path}/jobs"),
            ("POST", f"{path}/cancel"),
            ("DELETE", path),
            ("POST", "/uploads"),
        ):
            began = time.monotonic()
            content = PNG if where == "/uploads" else None
            assert_unavailable(service.client.request(method, where, content=content), began)
        assert service.client.get("/healthz").status_code == 200
        ready = service.client.get("/readyz")
        assert (ready.status_code, ready.json()["checks"]["database"]["ok"]) == (503, False)
        assert "rowmill_database_up 0" in service.client.get("/metrics").text
        assert service.client.get("/formats").json()["pairs"][0]["available"] is None
    finally:
        frail_postgres.start()
    poll(lambda: service.client.get("/readyz").status_code == 200)
    assert service.document(path)["status"] == "converting"
    service.upload()


def test_the_body_is_not_read_when_the_database_is_away(
    service: Service, frail_postgres: Server
) -> None:
    sent = 0

    def body() -> Any:
        nonlocal sent
        for _ in range(200):
            sent += 1024**2
            yield b"x" * 1024**2

    frail_postgres.halt()
    try:
        assert service.client.post("/uploads", content=body()).status_code == 503
    finally:
        frail_postgres.start()
    assert sent < 40 * 1024**2


def test_a_database_that_goes_away_during_the_body_is_waited_for(
    service: Service, frail_postgres: Server
) -> None:
    def bring_back() -> None:
        poll(lambda: list((service.settings.data / "objects").rglob("*-*")))
        frail_postgres.start()

    with ThreadPoolExecutor(1) as pool:
        returning = pool.submit(bring_back)
        content = halting_body(service, frail_postgres)
        answer = service.client.post("/uploads", content=content, timeout=60)
        returning.result(60)
    assert answer.status_code == 202, answer.text
    with service.sessions.begin() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 1
        assert session.scalar(select(func.count()).select_from(Job)) == 1


def halting_body(service: Service, postgres: Server) -> Iterator[bytes]:
    """Halt the database as soon as the API has begun to write the file."""
    yield PNG + b"x" * 2 * 1024**2
    poll(lambda: list((service.settings.data / "incoming").iterdir()))
    postgres.halt()
    yield b"tail"


def test_an_upload_that_cannot_be_recorded_is_503_and_its_file_stays(
    service: Service, frail_postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "TRY_SECONDS", 1.0)
    try:
        content = halting_body(service, frail_postgres)
        answer = service.client.post("/uploads", content=content, timeout=60)
    finally:
        frail_postgres.start()
    assert (answer.status_code, answer.json()["code"]) == (503, "not_recorded")
    (kept,) = (service.settings.data / "objects").rglob("*-*")
    assert kept.read_bytes().startswith(PNG)
    assert answer.json()["upload"] == f"/uploads/{kept.name}"
    assert f"at /uploads/{kept.name}: look there first" in answer.json()["hint"]


def test_a_commit_whose_answer_is_lost_is_asked_about_until_it_is_known(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection dies after the COMMIT has worked, three times in a row."""
    from sqlalchemy import event, exc

    engine = service.app.state.parts.database.engine
    lost = 0

    def lose_the_answer(connection: Any) -> None:
        nonlocal lost
        wrote = connection.info.pop("wrote", False)
        if wrote and lost < 3:
            lost += 1
            late = SimpleNamespace(monotonic=time.monotonic, time=lambda: time.time() + LATER)
            monkeypatch.setattr(reception, "time", late)  # and it has become too late to begin
            connection.connection.driver_connection.commit()
            connection.invalidate()
            raise exc.DBAPIError("COMMIT", {}, Exception("gone"), connection_invalidated=True)

    def note(connection: Any, _c: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO uploads"):
            connection.info["wrote"] = True

    event.listen(engine, "commit", lose_the_answer)
    event.listen(engine, "after_cursor_execute", note)
    said = service.upload()
    assert lost == 3
    assert service.settings.orphan_seconds < LATER
    with service.sessions.begin() as session:
        assert session.scalars(select(Upload.id)).all() == [UUID(said["id"])]
        assert session.scalar(select(func.count()).select_from(Job)) == 1


def test_a_file_that_a_sweep_may_take_is_not_given_a_row(serve: Serve) -> None:
    service = serve(orphan_seconds=1e-9)
    answer = service.client.post("/uploads", content=PNG)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_recorded")
    with service.sessions.begin() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 0


def test_a_file_that_a_sweep_has_taken_is_not_given_a_row(service: Service) -> None:
    class Swept(DiskStorage):
        def store(self, part: Path, key: str) -> None:
            super().store(part, key)
            self.trash(key)

    parts = service.app.state.parts
    service.app.state.parts = replace(parts, storage=Swept(service.settings.data))
    answer = service.client.post("/uploads", content=PNG)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_recorded")


def test_a_failure_between_the_upload_and_its_job_leaves_neither(service: Service) -> None:
    with service.sessions.begin() as session:
        session.execute(text("ALTER TABLE jobs ADD CONSTRAINT none CHECK (number > 1)"))
    answer = service.client.post("/uploads", content=PNG)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    with service.sessions.begin() as session:
        assert session.scalar(select(func.count()).select_from(Upload)) == 0


def test_when_every_seat_is_taken_the_next_one_hears_503_in_time(service: Service) -> None:
    path = service.upload()["links"]["self"]
    blocker = service.sessions()
    blocker.execute(text("LOCK TABLE uploads IN ACCESS EXCLUSIVE MODE"))
    try:
        crowd = 3 * ALL_SEATS  # a lock alone would keep the third turn waiting for 4.5 s
        with ThreadPoolExecutor(crowd) as pool:
            began = time.monotonic()
            asked = [pool.submit(service.client.get, path) for _ in range(crowd)]
            answers = [future.result(30) for future in asked]
            for answer in answers:
                assert_unavailable(answer, began)
        assert seats(service) <= ALL_SEATS
    finally:
        blocker.rollback()
        blocker.close()
    poll(lambda: service.client.get(path).status_code == 200)
    poll(lambda: service.app.state.parts.database.seats_in_use == 0)


def seats(service: Service) -> int:
    with service.sessions.begin() as session:
        found = session.execute(
            text("SELECT count(*) FROM pg_stat_activity WHERE application_name ^@ 'rowmill api'")
        )
        return int(found.scalar_one())


def test_a_locked_row_is_503_and_not_500(service: Service) -> None:
    path = service.upload()["links"]["self"]
    with service.sessions.begin() as session:
        session.execute(select(Upload.id).with_for_update())
        began = time.monotonic()
        assert_unavailable(service.client.post(f"{path}/cancel"), began)
    assert service.client.post(f"{path}/cancel").json()["status"] == "cancelled"


def test_the_api_starts_without_the_database_and_opens_when_it_comes(
    frail_postgres: Server, database_url: str, tmp_path: Path
) -> None:
    frail_postgres.halt()
    app = create_app(settings_for(database_url, tmp_path / "data"))
    serving = Serving(app)
    try:
        url = serving.start()
        began = time.monotonic()
        assert_unavailable(plain.post(f"{url}/uploads", content=PNG), began)
    finally:
        frail_postgres.start()
    poll(lambda: plain.post(f"{url}/uploads", content=PNG).status_code == 202)
    serving.stop()


def test_a_database_that_comes_with_an_older_schema_is_refused_with_the_command(
    frail_postgres: Server, database_url: str, tmp_path: Path
) -> None:
    frail_postgres.halt()
    serving = Serving(create_app(settings_for(database_url, tmp_path / "data")))
    try:
        url = serving.start()
    finally:
        frail_postgres.start()
    with frail_postgres.connect(database_url.rpartition("/")[2]) as connection:
        connection.cursor().execute("DROP TABLE alembic_version")
    connection.close()
    answer = plain.post(f"{url}/uploads", content=PNG)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_open")
    assert "rowmill migrate" in plain.get(f"{url}/readyz").json()["checks"]["house"]["detail"]
    serving.stop()


def test_seats_are_given_back_after_a_burst(service: Service, sessions: Sessions) -> None:
    path = service.upload()["links"]["self"]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: service.client.get(path), range(100)))
    assert {answer.status_code for answer in answers} <= {200, 503}
    poll(lambda: seats(service) <= KEPT_SEATS)
