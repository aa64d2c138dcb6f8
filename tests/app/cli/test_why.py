"""What `rowmill why` tells of an upload, whatever became of it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import delete, func, update
from sqlalchemy.orm import Session

from app import db, queue
from app.db import sessions_of, single_engine
from app.failures import CATALOGUE
from app.models import Event, Upload
from tests import make
from tests.app.cli.conftest import Run
from tests.postgres import Server

ERROR = {"code": "unsupported", "detail": "Nothing can be made of it.", "hint": "Send another."}
CRASHED = CATALOGUE["converter_crashed"].sentence
AGAIN = "Once more: POST …/jobs/1/again."
GONE = "Upload the file again."


def test_why_tells_the_story_of_an_upload(run: Run, database_url: str, tmp_path: Path) -> None:
    with sessions_of(single_engine(database_url, name="rowmill test")).begin() as session:
        upload = make.make_job(session, status="failed", worker=make.make_worker(session)).upload_id
    for given in (str(upload), f"http://127.0.0.1:8000/uploads/{upload}/result"):
        done = run("why", given, ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
        assert done.returncode == 0
        assert "Attempt 1 on w-1 failed after" in done.stdout
        assert done.stdout.endswith("POST …/jobs/1/again.\n")


def test_why_takes_the_number_of_a_job(run: Run, database_url: str, tmp_path: Path) -> None:
    with sessions_of(single_engine(database_url, name="rowmill test")).begin() as session:
        job = make.make_job(session)
    done = run("why", str(job.id), ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert done.stdout.startswith(f"Upload {job.upload_id}: converting")
    done = run("why", "4711", ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert (done.returncode, done.stdout) == (1, "There is no job 4711.\n")


def test_why_says_that_there_is_no_such_upload(run: Run, database_url: str, tmp_path: Path) -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    done = run("why", unknown, ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert (done.returncode, done.stdout) == (1, f"There is no upload {unknown}.\n")
    done = run("why", "nonsense", ROWMILL_DATA=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'nonsense' is no upload" in done.stderr


def test_times_are_utc_in_whatever_zone_the_session_is(
    run: Run, sessions: db.Sessions, database_url: str, tmp_path: Path
) -> None:
    with sessions.begin() as session:
        job = make.make_job(session)
    where = {"ROWMILL_DATA": tmp_path, "DATABASE_URL": database_url, "PGTZ": "Asia/Tokyo"}
    said = run("why", str(job.id), **where).stdout
    [shown] = re.findall(r"  (\S+ \S+)Z  It was put in line", said)
    at = datetime.strptime(shown, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - at) < timedelta(minutes=5)


def test_a_deleted_upload_is_ready_no_more(
    run: Run, sessions: db.Sessions, database_url: str, tmp_path: Path
) -> None:
    with sessions.begin() as session:
        upload = make.make_job(session, status="succeeded").upload_id
        bury(session, upload, expires_at=None)
    done = run("why", str(upload), ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert "Attempt 1 on" in done.stdout
    assert "It is ready." not in done.stdout
    assert done.stdout.endswith(f"\nThe upload was deleted. {GONE}\n")


@pytest.mark.parametrize("is_swept", [False, True])
def test_an_expired_upload_cannot_be_tried_again_and_its_reason_outlives_the_events(
    run: Run, sessions: db.Sessions, database_url: str, tmp_path: Path, *, is_swept: bool
) -> None:
    with sessions.begin() as session:
        job = make.make_job(session, status="failed")
        session.execute(update(Upload).values(expires_at=func.now()))
        if is_swept:
            bury(session, job.upload_id)
            session.execute(delete(Event))
    done = run("why", str(job.id), ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert not is_swept or CRASHED in done.stdout
    assert AGAIN not in done.stdout
    assert done.stdout.endswith(f"{GONE}\n")


def test_why_an_upload_came_to_no_job_is_told(
    run: Run, sessions: db.Sessions, database_url: str, tmp_path: Path
) -> None:
    with sessions.begin() as session:
        upload = make.make_upload(session, error=ERROR)
    done = run("why", str(upload), ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert done.stdout.endswith("\nNothing can be made of it. Send another.\n")


def test_what_is_still_awaited_is_told_with_how_it_goes_on_and_until_when(
    run: Run, sessions: db.Sessions, database_url: str, tmp_path: Path
) -> None:
    with sessions.begin() as session:
        coming = {"completed_at": None, "received": 1, "size": None, "sha256": None}
        end = func.now() + timedelta(hours=1)
        upload = make.make_upload(session, expires_at=end, **coming)
    done = run("why", str(upload), ROWMILL_DATA=tmp_path, DATABASE_URL=database_url)
    assert "1 of an unknown number of bytes came." in done.stdout
    assert re.search(r"It is kept until \S+ \S+Z for .* HEAD .* PATCH", done.stdout)


def test_a_database_without_tables_or_rights_is_one_line(
    run: Run, postgres: Server, database_url: str, tmp_path: Path
) -> None:
    with single_engine(database_url, name="rowmill test").begin() as connection:
        connection.exec_driver_sql("CREATE ROLE without_rights LOGIN")
    try:
        for url, says in (
            (postgres.url("postgres"), "Run: rowmill migrate"),
            (database_url.replace("//rowmill@", "//without_rights@"), "permission denied for"),
        ):
            done = run("why", "1", ROWMILL_DATA=tmp_path, DATABASE_URL=url)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
            assert says in done.stderr
    finally:
        with single_engine(database_url, name="rowmill test").begin() as connection:
            connection.exec_driver_sql("DROP ROLE without_rights")


def bury(session: Session, upload_id: UUID, **columns: object) -> None:
    """Make a tombstone of it, as DELETE and the sweep do."""
    queue.lock(session, upload_id)
    blank = {"name": "", "sha256": None, "deleted_at": func.now()}
    session.execute(update(Upload).where(Upload.id == upload_id).values(blank | columns))
