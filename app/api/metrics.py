"""The numbers for Prometheus: those of this process, and what one short look at the rows tells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, GCCollector, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import ColumnElement, CompoundSelect, Select, func, select, union_all

from app.api.database import Database, DatabaseAway, NotOpen
from app.api.ops.doctor import Doctor
from app.api.ops.gauges import of_diagnosis, single
from app.api.workers import Live, live
from app.db import Sessions
from app.diagnosis.whole import Diagnosis
from app.models import Job
from app.states import Status


@dataclass(frozen=True)
class Picture:
    """What the rows said: counts by (status, kind), seconds by kind, the live workers."""

    jobs: dict[tuple[str, str], int]
    oldest: dict[str, float]
    workers: Sequence[Live]


class Metrics:
    """One registry for each application. Jobs that have ended are not counted: that is a walk."""

    def __init__(self, *, live_seconds: float) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "rowmill_http_requests",
            "Requests that were answered",
            ["method", "status"],
            registry=self.registry,
        )
        self.uploads = Counter(
            "rowmill_uploads", "Files that were recorded", registry=self.registry
        )
        self.upload_bytes = Counter(
            "rowmill_upload_bytes", "Bytes of the files that were recorded", registry=self.registry
        )
        self.waiting = Gauge(
            "rowmill_long_polls", "Requests that wait for a change", registry=self.registry
        )
        self._live_seconds = live_seconds
        self._rows = _Rows()
        self.registry.register(self._rows)
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    async def refresh(self, database: Database, doctor: Doctor) -> None:
        """Take a new picture of the rows; without the database there is none."""
        try:
            self._rows.picture = await database.run(self._take)
        except (DatabaseAway, NotOpen):
            self._rows.picture = None
        # One after the other, so that a scrape takes one seat; if the first is away, so is this.
        self._rows.diagnosis = await doctor.ask() if self._rows.picture else None
        self._rows.seats = database.seats_in_use

    def _take(self, sessions: Sessions) -> Picture:
        with sessions.begin() as session:
            rows = session.execute(open_jobs()).all()
            workers = live(session, live_seconds=self._live_seconds)
        return Picture(
            jobs={(status.value, kind): count for status, kind, count, _ in rows},
            oldest={kind: float(age) for status, kind, _, age in rows if status.value == "queued"},
            workers=workers,
        )


class _Rows(Collector):
    def __init__(self) -> None:
        self.picture: Picture | None = None
        self.diagnosis: Diagnosis | None = None
        self.seats = 0

    def collect(self) -> Iterator[Metric]:
        yield single("rowmill_database_up", "1 if it answered", int(self.picture is not None))
        yield single("rowmill_database_seats", "Seats that this process uses", self.seats)
        if self.picture is not None:
            yield from _of_rows(self.picture)
        if self.diagnosis is not None:
            yield from of_diagnosis(self.diagnosis)


def open_jobs() -> CompoundSelect[Status, str, int, int]:
    """Select status, kind, count and age of the oldest, of the jobs that have not ended.

    Each half says just what an index is limited to (`jobs_ready`, `jobs_running`): no index serves
    both at once. A job is locked while it runs, and only then.
    """
    return union_all(_counted(Job.status == Status.QUEUED), _counted(Job.locked_by.is_not(None)))


def _counted(which: ColumnElement[bool]) -> Select[Status, str, int, int]:
    age = func.extract("epoch", func.now() - func.min(Job.created_at))
    columns = (Job.status, Job.kind)
    return select(*columns, func.count(), age).where(which).group_by(*columns)


def _of_rows(picture: Picture) -> Iterator[Metric]:
    jobs = GaugeMetricFamily("rowmill_jobs", "Jobs that have not ended", labels=["status", "kind"])
    for labels, count in picture.jobs.items():
        jobs.add_metric(labels, count)
    yield jobs
    oldest = GaugeMetricFamily(
        "rowmill_oldest_queued_seconds", "Age of the oldest queued job", labels=["kind"]
    )
    for kind, seconds in picture.oldest.items():
        oldest.add_metric([kind], seconds)
    yield oldest
    workers = picture.workers
    yield single("rowmill_workers", "Live workers", len(workers))
    yield single("rowmill_worker_slots", "Their slots", sum(one.slots for one in workers))
    yield single("rowmill_worker_slots_busy", "Slots at work", sum(one.busy for one in workers))
    problems = sum(len(one.problems) for one in workers)
    yield single("rowmill_worker_problems", "Problems that live workers report", problems)
