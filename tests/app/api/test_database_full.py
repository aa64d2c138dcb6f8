"""The disk of the database is full: said as that, and what was not recorded leaves no file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import event, exc, func, select, text

from app.api import database, reception
from app.models import Upload
from tests.app.api.conftest import PNG, Service
from tests.app.api.resumable.conftest import Tus

FULL = """
CREATE FUNCTION grows_not() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file "base/1/2"' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER grows_not BEFORE INSERT ON jobs EXECUTE FUNCTION grows_not();
"""
EMPTY = "DROP FUNCTION grows_not CASCADE"
Run = Callable[[str], None]


@pytest.fixture
def run(service: Service) -> Run:
    """Carry out a statement as somebody else."""

    def carry_out(statement: str) -> None:
        with service.sessions.begin() as session:
            session.execute(text(statement))

    return carry_out


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as entries:
        yield entries


def files(service: Service) -> list[Path]:
    return list((service.settings.data / "objects").rglob("*-*"))


def uploads(service: Service) -> int:
    with service.sessions.begin() as session:
        return session.scalar(select(func.count()).select_from(Upload)) or 0


def test_it_is_said_at_once_and_neither_row_nor_file_stays(
    service: Service, run: Run, logged: list[Any]
) -> None:
    run(FULL)
    for _ in range(3):
        answer = service.client.post("/uploads", content=PNG)
        assert (answer.status_code, answer.json()["code"]) == (503, "database_full")
        assert answer.headers["retry-after"] == "2"
    assert (files(service), uploads(service)) == ([], 0)
    assert [entry["event"] for entry in logged].count("database.full") == 1
    run(EMPTY)
    service.upload()


def test_readiness_names_the_full_disk_for_a_minute(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> tuple[int, bool]:
        answer = service.client.get("/readyz")
        return answer.status_code, answer.json()["checks"]["database"]["full"]

    assert seen() == (200, False)
    run(FULL)
    service.client.post("/uploads", content=PNG)
    assert seen() == (200, True)
    run(EMPTY)
    service.upload()
    assert seen() == (200, True)
    monkeypatch.setattr(database, "FULL_SECONDS", 0.0)
    seen()
    assert seen() == (200, False)


def test_a_file_whose_row_may_exist_stays(
    service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer is lost on its way; that the disk is full by then proves nothing."""
    monkeypatch.setattr(reception, "TRY_SECONDS", 0.2)
    monkeypatch.setattr(reception, "PAUSE_SECONDS", 0.01)
    lost: list[str] = []

    def lose_one(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO uploads") and not lost:
            lost.append(statement)
            raise exc.DBAPIError(statement, {}, Exception("gone"), connection_invalidated=True)

    event.listen(service.app.state.parts.database.engine, "after_cursor_execute", lose_one)
    run(FULL)
    answer = service.client.post("/uploads", content=PNG)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_recorded")
    assert lost
    assert len(files(service)) == 1


def test_an_upload_in_parts_keeps_what_came_and_is_recorded_when_there_is_room(
    service: Service, run: Run
) -> None:
    tus = Tus(service)
    path = tus.create(len(PNG))
    run(FULL)
    answer = tus.patch(path, PNG, at=0)
    assert (answer.status_code, answer.json()["code"]) == (503, "database_full")
    run(EMPTY)
    assert tus.offset(path) == len(PNG)
    assert len(service.document(path)["jobs"]) == 1
