"""The line of jobs tells who waits in vain, who waits for long, and what stands still."""

from datetime import timedelta

import pytest
from sqlalchemy import func

from app import db
from app.diagnosis import line, server
from app.diagnosis.line import Line, Waiting
from tests import make

CALM = Line(
    waiting={"image": Waiting(jobs=2, oldest_seconds=3, is_offered=True)},
    running=1,
    stalled=0,
    live_workers=1,
    live_rows=3,
    dead_rows=0,
    table_bytes=8192,
    vacuumed_seconds=None,
    look_seconds=0.001,
)


def test_the_line_is_read_from_the_rows(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-9", offers={"kinds": {"image": 1}})
        make.make_job(session, kind="image", status="running", worker="w-9")
        long_ago = func.now() - timedelta(minutes=11)
        make.make_job(session, kind="image", status="running", worker="w-9", heartbeat=long_ago)
        make.make_job(session, kind="image", run_after=func.now() - timedelta(seconds=90))
        make.make_job(session, kind="image", run_after=func.now() + timedelta(seconds=90))
        make.make_job(session, kind="office")
        make.make_job(session, kind="misbehave", status="succeeded", worker="w-9")
        found = line.read(session, live_seconds=60)
    assert set(found.waiting) == {"image", "office"}
    assert found.waiting["image"].jobs == 1
    assert 90 <= found.waiting["image"].oldest_seconds < 120
    assert (found.waiting["image"].is_offered, found.waiting["office"].is_offered) == (True, False)
    assert (found.running, found.stalled, found.live_workers) == (2, 1, 1)
    assert found.look_seconds > 0


@pytest.mark.parametrize(
    ("change", "state", "says"),
    [
        ({}, "ok", "2 wait, 1 run, 1 workers live"),
        ({"stalled": 1}, "warning", "1 running jobs have not moved"),
        ({"look_seconds": 0.2}, "warning", "takes 200 ms: see horizon"),
        ({"dead_rows": 20_000}, "warning", "20000 dead rows against 3 live"),
        (
            {"waiting": {"office": Waiting(jobs=4, oldest_seconds=1, is_offered=False)}},
            "warning",
            "4 office jobs wait, and no live worker does this kind",
        ),
        (
            {"waiting": {"image": Waiting(jobs=4, oldest_seconds=1200, is_offered=True)}},
            "warning",
            "ready for 20 min: add workers",
        ),
    ],
)
def test_what_is_wrong_with_the_line_is_said(
    change: dict[str, object], state: str, says: str
) -> None:
    values = {name: getattr(CALM, name) for name in CALM.__dataclass_fields__}
    [finding] = line.findings(Line(**(values | change)))
    assert finding.state == state
    assert says in finding.says


def test_settings_are_those_of_the_server_and_not_of_the_transaction(
    sessions: db.Sessions,
) -> None:
    with sessions() as session:
        found = server.read(session)
    assert found["autovacuum"] in {"on", "off"}
    assert found["idle_in_transaction_session_timeout"] == "0ms"


def test_a_setting_that_is_off_is_said_with_what_it_costs() -> None:
    good = {
        "autovacuum": "on",
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "track_counts": "on",
        "idle_in_transaction_session_timeout": "60000ms",
    }
    assert [finding.state for finding in server.findings(good)] == ["ok"]
    for name in good:
        bad = good | {name: "off" if name != "idle_in_transaction_session_timeout" else "0ms"}
        [finding] = server.findings(bad)
        assert finding.state == "warning"
        assert finding.says.startswith(f"{name} is off")
