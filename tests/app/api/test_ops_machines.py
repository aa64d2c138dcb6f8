"""What the doctor says, told to machines: in /metrics as numbers, in /readyz as warnings."""

from datetime import timedelta

from sqlalchemy import func, text

from app import db
from app.db import Sessions
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
