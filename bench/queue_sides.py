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


@dataclass(frozen=True)
class Queue:
    """One queue under test: `enqueue` and `drain` return seconds."""

    name: str
    enqueue: Callable[[str, int], float]
    drain: Callable[..., float]
    claimer: Any
    claims: tuple[str, ...]
    prepare: Callable[[str], None] = lambda _: None
    fill: Callable[[str, int], object] | None = None  # quicker than to enqueue one by one


ROWMILL = Queue(
    "Rowmill",
    queue_rowmill.enqueue,
    queue_rowmill.drain,
    queue,
    ("claim", "turn_over"),
    fill=queue_rowmill.fill,
)
PROCRASTINATE = Queue(
    "Procrastinate",
    queue_rivals.procrastinate_enqueue,
    queue_rivals.procrastinate_drain,
    JobManager,
    ("fetch_job",),
    queue_rivals.procrastinate_prepare,
)
PGQUEUER = Queue(
    "PgQueuer",
    queue_rivals.pgqueuer_enqueue,
    queue_rivals.pgqueuer_drain,
    Queries,
    ("dequeue",),
    queue_rivals.pgqueuer_prepare,
)
PGQUEUER_HELD = Queue(
    HELD,
    queue_rivals.pgqueuer_enqueue,
    partial(queue_rivals.pgqueuer_drain, held=True),
    Queries,
    ("dequeue",),
    queue_rivals.pgqueuer_prepare,
)
