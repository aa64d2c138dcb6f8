"""The operator's page: everything that an operator looks for, and nothing that files say."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, text

from app import db, queue
from app.db import Sessions
from app.diagnosis.whole import KEYS
from app.failures import failure
from app.main import create_app
from tests import plain
from tests.app.api.conftest import OFFERS, Service, Serving, settings_for
from tests.app.api.people import PAGE
from tests.make import ending, make_job
from tests.polling import poll

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
NOWHERE = "postgresql+psycopg2://nobody@127.0.0.1:1/none"
WAITING_FOR_JOBS = text(
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
    "WHERE NOT granted AND relation = 'jobs'::regclass AND application_name LIKE 'rowmill api%'"
)


@dataclass
class Elements(HTMLParser):
    """Which elements a page has, with their attributes."""

    found: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(page)
    return parser.found


def asked(service: Service) -> Any:
    answer = service.client.get("/ops", headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def page_of(service: Service) -> httpx.Response:
    answer = service.client.get("/ops", headers=PAGE)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer


def broken(service: Service, **detail: str) -> None:
    """Have an attempt break, as a worker records it: the event holds more than the job."""
    claimed = service.claim()
    error = failure("converter_crashed")
    ended = ending(claimed, error=error, detail=error | detail)
    with service.sessions.begin() as session:
        queue.retry(session, [ended], backoff_seconds=1000)


def test_it_tells_of_workers_the_line_what_runs_and_what_failed(service: Service) -> None:
    service.hire("w-1", busy=1)
    service.hire("w-2", offers={"kinds": {}, "problems": ["No Landlock."], "sandbox": "cell"})
    for _ in range(3):
        service.upload()
    broken(service, log="Traceback: ValueError")
    claimed = service.claim()
    said = asked(service)
    assert set(said) == {"at", "workers", "queue", "running", "failures", "doctor"}
    first, second = said["workers"]
    assert (first["name"], first["state"], first["kinds"]) == ("w-1", "live", {"image": 4})
    assert (first["slots"], first["busy"]) == (4, 1)
    assert first["silent_seconds"] < 60
    assert (second["kinds"], second["problems"]) == ({}, ["No Landlock."])
    [line] = said["queue"]
    assert (line["kind"], line["ready"], line["later"], line["is_offered"]) == ("image", 1, 1, True)
    assert line["ready"] == line["under_a_minute"] + line["under_ten_minutes"] + line["longer"]
    [running] = said["running"]
    assert (running["job"], running["worker"]) == (str(claimed.job_id), "w-1")
    assert (running["from"], running["to"], running["progress"]) == ("png", "webp", 0)
    [failed] = said["failures"]
    assert (failed["code"], failed["what"], failed["tried_again"]) == (
        "converter_crashed",
        "broke",
        True,
    )
    assert failed["log"] == "Traceback: ValueError"
    assert int(failed["job"]) < claimed.job_id
    assert isinstance(failed["job"], str), "JavaScript rounds numbers beyond 2^53"
    assert failed["detail"] == failure("converter_crashed")["detail"]


def test_it_has_what_the_doctor_says_with_its_remedies(service: Service) -> None:
    said = asked(service)["doctor"]
    assert tuple(said) == KEYS
    assert all(said[key]["state"] in {"ok", "warning", "failure"} for key in KEYS)
    assert said["settings"]["state"] == "warning"  # a test server does not sync
    assert "fsync is off: without it" in said["settings"]["says"]
    assert said["seats"]["in_use"] >= 1
    page = page_of(service).text
    assert "fsync is off: without it" in page
    assert re.search(rf"<strong>\d+</strong> of <strong>{said['seats']['room']}</strong>", page)


def test_it_tells_how_long_ago_a_sweep_was(service: Service) -> None:
    with service.sessions.begin() as session:
        session.execute(text("UPDATE house SET swept_at = now() - interval '50 seconds'"))
    said = asked(service)["doctor"]["queue"]
    assert (said["state"], said["is_unswept"]) == ("ok", False)
    assert 50 <= said["swept_seconds"] < 60
    assert "swept 5" in page_of(service).text


def test_a_lost_worker_and_one_that_is_silent_are_told_apart(service: Service) -> None:
    service.hire("w-live")
    service.hire("w-silent", heartbeat=func.now() - timedelta(hours=1))
    service.hire("w-lost", lost_at=func.now())
    service.hire("w-long-lost", lost_at=func.now() - timedelta(days=2))
    states = {one["name"]: one["state"] for one in asked(service)["workers"]}
    assert states == {"w-live": "live", "w-silent": "silent", "w-lost": "lost"}


def test_who_waits_is_told_by_age(service: Service) -> None:
    service.upload()
    with service.sessions.begin() as session:
        for seconds in (90, 1200, -3600):
            ready = func.now() - timedelta(seconds=seconds)
            make_job(session, kind="image", run_after=ready)
    [line] = asked(service)["queue"]
    counts = [line[name] for name in ("under_a_minute", "under_ten_minutes", "longer", "later")]
    assert counts == [1, 1, 1, 1]
    assert line["oldest_seconds"] >= 1200
    assert line["is_offered"] is False
    assert "start a worker that offers it" in page_of(service).text


def test_the_page_runs_nothing_but_its_own_module_and_renews_itself_without_it(
    service: Service,
) -> None:
    answer = page_of(service)
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    assert "'unsafe" not in answer.headers["content-security-policy"]
    scripts = [attributes for tag, attributes in elements(answer.text) if tag == "script"]
    assert [one["type"] for one in scripts] == ["module"]
    assert str(scripts[0]["src"]).endswith("/ops.js")
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in answer.text


def test_what_workers_and_converters_and_strangers_say_stays_text(
    service: Service, database_url: str
) -> None:
    service.hire(EVIL, version=EVIL, offers={**OFFERS, "problems": [EVIL], "sandbox": EVIL})
    service.hire("w-1")
    for _ in range(2):
        service.upload(name=EVIL)
    broken(service, detail=EVIL, log=EVIL, code=EVIL)
    service.claim(worker=EVIL)
    with service.sessions.begin() as session:
        session.execute(
            text("UPDATE jobs SET stage = :evil WHERE status = 'running'"), {"evil": EVIL}
        )
    stranger = db.single_engine(database_url, name=EVIL)
    with stranger.connect() as holding:
        holding.execute(text("CREATE TABLE written (a int)"))
        page = page_of(service).text
    assert EVIL not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 8
    found = elements(page)
    assert sum(tag == "script" for tag, _ in found) == 1
    assert all(attributes.get("src") != "x" for _, attributes in found)
    assert not any(name.startswith("on") for _, attributes in found for name in attributes)


def test_names_and_addresses_of_files_are_not_told(service: Service) -> None:
    service.hire()
    paths = [service.upload(name="a-private-name.png")["links"]["self"] for _ in range(3)]
    broken(service)
    service.fail(service.claim())
    service.claim()
    for told in (page_of(service).text, str(asked(service))):
        assert "a-private-name" not in told
        assert not any(path.removeprefix("/uploads/") in told for path in paths)


def test_statements_of_others_are_told_without_what_they_say(
    service: Service, database_url: str
) -> None:
    with db.single_engine(database_url, name="a report").connect() as holding:
        holding.execute(text("CREATE TEMPORARY TABLE t AS SELECT 'a-private-name' AS name"))
        [holder] = [
            one
            for one in asked(service)["doctor"]["horizon"]["holders"]
            if one["application"] == "a report"
        ]
    assert holder["query"] == "CREATE TEMPORARY TABLE t AS SELECT '…' AS name"


def test_of_many_moves_only_the_last_ones_are_looked_through(
    service: Service, sessions: Sessions
) -> None:
    with sessions.begin() as session:
        job = make_job(session, status="failed")
    assert len(asked(service)["failures"]) == 1
    with sessions.begin() as session:
        session.execute(
            text(
                "INSERT INTO events (job_id, move, attempt) "
                "SELECT :job, 'claim', 1 FROM generate_series(1, 5001)"
            ),
            {"job": job.id},
        )
    poll(lambda: not asked(service)["failures"])  # what was seen is kept for a second


def test_ten_pages_that_wait_for_a_slow_database_take_one_seat(
    service: Service, sessions: Sessions
) -> None:
    with ThreadPoolExecutor(10) as pool, sessions() as locking, sessions() as looking:
        locking.execute(text("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE"))
        answers = [pool.submit(service.client.get, "/ops") for _ in range(10)]
        waiting = set()
        while not all(answer.done() for answer in answers):
            waiting.add(looking.scalar(WAITING_FOR_JOBS))
            threading.Event().wait(0.02)
        locking.rollback()
    assert waiting <= {0, 1}
    assert 1 in waiting
    for answer in answers:
        assert answer.result().status_code == 503
        assert answer.result().headers["retry-after"] == "2"
        assert answer.result().json()["code"] == "database_away"
    poll(lambda: service.client.get("/ops").status_code == 200)


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_without_the_database_it_says_so(tmp_path: Path, accept: str) -> None:
    serving = Serving(create_app(settings_for(NOWHERE, tmp_path)))
    try:
        answer = plain.get(f"{serving.start()}/ops", headers={"Accept": accept}, timeout=30)
    finally:
        serving.stop()
    assert answer.status_code == 503
    assert "The database does not answer." in answer.text
