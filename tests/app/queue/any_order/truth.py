"""What the rows say, compared with the model, and with the table of moves."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app import models, status
from app.models import Event
from app.states import FINAL, MOVES, Move, Status
from app.storage.keys import result_key
from tests.app.queue.any_order.model import Job, Upload, Worker

Story = list[tuple[Move, UUID | None]]


def compare(
    session: Session, uploads: Mapping[UUID, Upload], workers: Mapping[str, Worker]
) -> None:
    """Assert that nothing is lost, doubled, invented or contradicted."""
    jobs = {job.id: job for upload in uploads.values() for job in upload.jobs}
    rows = {row.id: row for row in session.scalars(select(models.Job))}
    stories = _stories(session)
    assert rows.keys() == jobs.keys() == stories.keys()
    for job_id, job in jobs.items():
        _compare_row(rows[job_id], job)
        _compare_story(stories[job_id], rows[job_id], job)
    _compare_leases(stories)
    _compare_uploads(session, uploads)
    _compare_workers(session, workers)


def _stories(session: Session) -> dict[int, Story]:
    found: dict[int, Story] = defaultdict(list)
    for event in session.scalars(select(Event).order_by(Event.id)):
        found[event.job_id].append((event.move, event.lease_id))
    return found


def _compare_row(row: models.Job, job: Job) -> None:
    counts = row.attempts, row.losses, row.releases, row.max_attempts
    assert counts == (job.attempts, job.losses, job.releases, job.max_attempts)
    assert (row.upload_id, row.number, row.kind) == (job.upload, job.number, job.kind)
    assert (row.status, row.lease_id, row.locked_by) == (job.status, job.lease, job.worker)
    assert abs(row.progress - job.progress) < 0.001
    assert (row.finished_at is not None) == (job.status in FINAL)
    assert job.is_moved or row.run_after == job.run_after, "it has lost its place in the line"
    job.run_after, job.is_moved = row.run_after, False


def _compare_story(story: Story, row: models.Job, job: Job) -> None:
    assert story == job.story
    assert row.status in _where(story)
    since = [move for move, _ in story]
    if Move.AGAIN in since:
        since = since[len(since) - since[::-1].index(Move.AGAIN) :]
    count = Counter(since)
    assert (row.attempts, row.releases) == (count[Move.CLAIM], count[Move.RELEASE])
    assert row.losses == count[Move.RESCUE]
    assert (row.result is None) == (row.status is not Status.SUCCEEDED)
    if row.result is not None:
        lease = story[-1][1]
        assert lease is not None
        assert row.result["storage_key"] == result_key(row.upload_id, row.number, lease)


def _where(story: Story) -> frozenset[Status]:
    """Return where these moves lead by the table of moves, each from where it may be made."""
    now: frozenset[Status] = frozenset()
    for move, _ in story:
        rule = MOVES[move]
        assert (rule.sources & now) or not (rule.sources or now), f"{move} from {now}"
        now = rule.targets
    return now


def _compare_leases(stories: Mapping[int, Story]) -> None:
    """Each lease is made once and ended at most once."""
    moves = [pair for story in stories.values() for pair in story if pair[1] is not None]
    made = Counter(lease for move, lease in moves if move is Move.CLAIM)
    ended = Counter(lease for move, lease in moves if move is not Move.CLAIM)
    assert set(made.values()) | set(ended.values()) <= {1}
    assert ended.keys() <= made.keys()


def _compare_uploads(session: Session, uploads: Mapping[UUID, Upload]) -> None:
    told = status.read(session, list(uploads), keep_seconds=3600, live_seconds=3600)
    assert {key: state.status for key, state in told.items()} == {
        key: upload.status for key, upload in uploads.items()
    }
    rows: Any = session.execute(select(models.Upload.id, models.Upload.expires_at)).all()
    stamped = {key for key, expires_at in rows if expires_at is not None}
    assert stamped == {key for key, upload in uploads.items() if upload.is_stamped}
    for key, upload in uploads.items():
        assert [job.number for job in told[key].jobs] == [job.number for job in upload.jobs]
        assert [job.number for job in upload.jobs] == list(range(1, len(upload.jobs) + 1))


def _compare_workers(session: Session, workers: Mapping[str, Worker]) -> None:
    rows = session.scalars(select(models.Worker))
    assert {row.name: (row.missed, row.lost_at is not None) for row in rows} == {
        name: (worker.missed, worker.is_lost) for name, worker in workers.items()
    }
