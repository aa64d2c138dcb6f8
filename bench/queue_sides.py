"""The queues that are compared: how each is filled and drained, and by which calls it claims."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pgqueuer import Queries
from procrastinate.manager import JobManager

from app import queue
from bench import queue_rivals, queue_rowmill

HELD = "PgQueuer, held"
_ROWMILL_FINISHED = """
INSERT INTO uploads (id, name, size, received, completed_at, expires_at)
SELECT gen_random_uuid(), 'many.png', 1, 1, now(), now() + interval '7 days'
FROM generate_series(1, {finished} / 100);
INSERT INTO jobs (upload_id, number, kind, payload, status, finished_at, result, progress,
                  run_after)
SELECT id, number, 'misbehave', '{{"from": "png", "to": "nap"}}', 'succeeded', now(), '{{}}', 1,
       now() - interval '1 day'
FROM uploads, generate_series(1, 100) AS number;
"""
# As little as is left of ours: their rows, and nothing of what led there.
_PROCRASTINATE_FINISHED = """
SET session_replication_role = replica;
INSERT INTO procrastinate_jobs (queue_name, task_name, status, attempts)
SELECT 'default', 'nothing', 'succeeded', 1 FROM generate_series(1, {finished});
RESET session_replication_role;
"""
_PGQUEUER_FINISHED = """
INSERT INTO pgqueuer_log (job_id, status, priority, entrypoint)
SELECT -number, 'successful', 0, 'nothing' FROM generate_series(1, {finished}) AS number;
"""


@dataclass(frozen=True)
class Queue:
    """One queue under test: `enqueue` and `drain` return seconds, `finished` is SQL."""

    name: str
    enqueue: Callable[[str, int], float]
    drain: Callable[..., float]
    claimer: Any
    claims: tuple[str, ...]
    finished: str
    prepare: Callable[[str], None] = lambda _: None
    fill: Callable[[str, int], object] | None = None  # quicker than to enqueue one by one


ROWMILL = Queue(
    "Rowmill",
    queue_rowmill.enqueue,
    queue_rowmill.drain,
    queue,
    ("claim", "turn_over"),
    _ROWMILL_FINISHED,
    fill=queue_rowmill.fill,
)
PROCRASTINATE = Queue(
    "Procrastinate",
    queue_rivals.procrastinate_enqueue,
    queue_rivals.procrastinate_drain,
    JobManager,
    ("fetch_job",),
    _PROCRASTINATE_FINISHED,
    queue_rivals.procrastinate_prepare,
)
PGQUEUER = Queue(
    "PgQueuer",
    queue_rivals.pgqueuer_enqueue,
    queue_rivals.pgqueuer_drain,
    Queries,
    ("dequeue",),
    _PGQUEUER_FINISHED,
    queue_rivals.pgqueuer_prepare,
)
PGQUEUER_HELD = Queue(
    HELD,
    queue_rivals.pgqueuer_enqueue,
    partial(queue_rivals.pgqueuer_drain, held=True),
    Queries,
    ("dequeue",),
    _PGQUEUER_FINISHED,
    queue_rivals.pgqueuer_prepare,
)
