"""The line of jobs tells who waits in vain, who waits for long, and what stands still."""

from datetime import timedelta

import pytest
from sqlalchemy import func, text
from sqlalchemy.orm import Session

from app import db
from app.diagnosis import line
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
    bloat=None,
    vacuumed_seconds=None,
    claim_seconds=0.001,
    swept_seconds=4.2,
    is_unswept=False,
)


MANY_ENDED = """
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at)
SELECT :upload, number, 'image', '{"from": "png", "to": "jpg"}', 'cancelled', now()
FROM generate_series(2, 20001) AS number
"""


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
    assert found.claim_seconds > 0


@pytest.mark.parametrize(
    ("change", "state", "says"),
    [
        ({}, "ok", "2 wait, 1 run, 1 workers live, swept 4 s ago."),
        ({"is_unswept": True}, "warning", "no worker sweeps"),
        ({"stalled": 1}, "warning", "1 running jobs have not moved"),
        ({"claim_seconds": 0.2}, "warning", "a claim looks for 200 ms: see horizon"),
        ({"bloat": 0.9, "table_bytes": 2**30}, "warning", "about 90% of the table of jobs holds"),
        ({"bloat": 0.9, "table_bytes": 2**20}, "ok", "2 wait"),
        ({"bloat": 0.5, "table_bytes": 2**30}, "ok", "2 wait"),
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


def test_a_house_that_no_living_worker_sweeps_is_told_of(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        session.execute(text("UPDATE house SET swept_at = now() - interval '90 seconds'"))
        alone = line.read(session, live_seconds=60)
        make.make_worker(session, "w-9")
        found = line.read(session, live_seconds=60)
        patient = line.read(session, live_seconds=100)
        session.execute(text("UPDATE house SET swept_at = now() + interval '1 day'"))
        ahead = line.read(session, live_seconds=60)
    assert (alone.is_unswept, found.is_unswept, patient.is_unswept) == (False, True, False)
    assert found.swept_seconds == pytest.approx(90, abs=0.2)  # all of it is one transaction
    assert (ahead.swept_seconds, ahead.is_unswept) == (0, False)


def test_what_is_deleted_and_stays_in_the_table_is_bloat(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        job = make.make_job(session)
        assert line.read(session, live_seconds=60).bloat is None  # nobody has counted yet
        session.execute(text(MANY_ENDED), {"upload": job.upload_id})
        session.execute(text("ANALYZE jobs"))
        before = line.read(session, live_seconds=60).bloat
        session.execute(text("DELETE FROM jobs WHERE number > 2000"))
        session.execute(text("ANALYZE jobs"))
        after = line.read(session, live_seconds=60).bloat
    assert before is not None
    assert before < 0.3
    assert after is not None
    assert after > 0.8


def test_ended_jobs_are_not_read_to_count_those_that_run(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session)
        job = make.make_job(session, status="running", worker="w-1")
        session.execute(text(MANY_ENDED), {"upload": job.upload_id})
        session.execute(text("ANALYZE jobs"))
        session.execute(text("SET LOCAL enable_seqscan = off"))
        before = _read_one_by_one(session)
        assert line.read(session, live_seconds=60).running == 1
        assert _read_one_by_one(session) - before < 50


def test_a_claim_is_timed_in_lines_in_which_nobody_stands_too(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        make.make_worker(session, "w-1", offers={"kinds": {"image": 1, "office": 1, "pdf": 1}})
        session.execute(text("SET LOCAL enable_seqscan = off"))
        scans = text("SELECT pg_stat_get_xact_numscans('jobs_ready'::regclass)")
        before = session.execute(scans).scalar_one()
        line.read(session, live_seconds=60)
        assert session.execute(scans).scalar_one() - before >= 3


def _read_one_by_one(session: Session) -> int:
    """Return how many jobs this transaction has read without an index."""
    read = "SELECT pg_stat_get_xact_tuples_returned('jobs'::regclass)"
    return session.scalar(text(read)) or 0
