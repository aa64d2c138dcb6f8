"""What the doctor says, told to machines: in /metrics as numbers, in /readyz as it is."""

from datetime import timedelta

from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import func, text

from app import db
from app.db import API_SEATS, Sessions
from app.diagnosis.seats import WORKER_SEATS
from app.diagnosis.whole import KEYS
from tests.app.api.conftest import Service, metrics
from tests.make import make_job, make_worker


def test_metrics_tell_of_seats_the_horizon_and_the_table_of_jobs(
    service: Service, database_url: str, sessions: Sessions
) -> None:
    with sessions.begin() as session:
        long_ago = func.now() - timedelta(minutes=11)
        make_job(session, status="running", worker=make_worker(session), heartbeat=long_ago)
    with db.single_engine(database_url, name="rowmill <strange> label").connect() as holding:
        holding.execute(text("CREATE TABLE written (a int)"))
        found = metrics(service)
    assert found["rowmill_seats_max", ()] == 100  # a superuser may take those kept for it
    assert found["rowmill_seats_reserved", ()] >= 3
    assert found["rowmill_seats_used", ("api",)] >= 1
    assert found["rowmill_seats_used", ("other",)] >= 1
    assert {labels for name, labels in found if name == "rowmill_seats_used"} <= {
        ("api",),
        ("worker",),
        ("other",),
    }
    assert found["rowmill_horizon_holders", ("session", "idle in transaction")] >= 1
    assert found["rowmill_horizon_age_transactions", ()] >= 1
    assert found["rowmill_horizon_age_seconds", ()] >= 0
    assert found["rowmill_idle_in_transaction_sessions", ()] >= 1
    assert found["rowmill_jobs_stalled", ()] == 1
    assert found["rowmill_jobs_dead_rows", ()] >= 0
    assert found["rowmill_jobs_table_bytes", ()] > 0
    assert found["rowmill_claim_seconds", ()] >= 0
    assert found["rowmill_doctor_state", ("queue",)] == 1
    assert found["rowmill_doctor_state", ("seats",)] == 0


def test_metrics_tell_how_many_more_fit_and_what_one_takes(service: Service) -> None:
    service.hire()
    said = service.client.get("/readyz").json()["doctor"]["seats"]
    found = metrics(service)
    most = {part: found["rowmill_seats_most", (part,)] for part in ("api", "worker")}
    fit = {part: found["rowmill_seats_fit", (part,)] for part in ("api", "worker")}
    assert most == {"api": API_SEATS, "worker": WORKER_SEATS}
    assert fit == {"api": said["apis_fit"], "worker": said["workers_fit"]}
    assert fit["worker"] > fit["api"] > 0


def test_metrics_tell_the_settings_and_the_age_of_the_last_sweep(service: Service) -> None:
    with service.sessions.begin() as session:
        session.execute(text("UPDATE house SET swept_at = now() - interval '500 seconds'"))
    answer = service.client.get("/metrics")
    families = {one.name: one for one in text_string_to_metric_families(answer.text)}
    [settings] = families["rowmill_settings_info"].samples
    assert (settings.labels["fsync"], settings.labels["pool_pre_ping"]) == ("off", "on")
    assert settings.labels["max_connections"] == "100"
    [swept] = families["rowmill_swept_seconds"].samples
    assert 500 <= swept.value < 560


def test_ready_has_all_that_the_doctor_saw_for_whoever_may_see_it(service: Service) -> None:
    said = service.client.get("/readyz").json()
    assert tuple(said["doctor"]) == KEYS
    assert said["doctor"]["queue"]["swept_seconds"] >= 0
    assert said["doctor"]["settings"]["values"]["fsync"] == "off"
    proxied = service.client.get("/readyz", headers={"X-Forwarded-For": "192.0.2.7"}).json()
    assert set(said) - set(proxied) == {"doctor"}
    assert proxied["warnings"]


def test_warnings_are_told_and_make_nothing_unready(service: Service) -> None:
    answer = service.client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    warnings = {one["check"]: one for one in answer.json()["warnings"]}
    assert warnings["settings"]["state"] == "warning"  # a test server does not sync
    assert "fsync is off" in warnings["settings"]["says"]
    assert "seats" not in warnings


def test_what_the_doctor_cannot_find_out_makes_nothing_unready_either(
    service: Service, sessions: Sessions
) -> None:
    with sessions() as locking:
        locking.execute(text("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE"))
        answer = service.client.get("/readyz")
        assert (answer.status_code, answer.json()["warnings"]) == (200, [])
        locking.rollback()
