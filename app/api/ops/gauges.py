"""What the doctor sees, as gauges for Prometheus: the same from every API process."""

from collections import Counter
from collections.abc import Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric

from app.diagnosis.finding import State
from app.diagnosis.line import Line
from app.diagnosis.seats import Seats
from app.diagnosis.whole import Diagnosis

_STANDING: Mapping[State, int] = {"ok": 0, "warning": 1, "failure": 2}


def of_diagnosis(seen: Diagnosis) -> Iterator[Metric]:
    """Yield the gauges, at most five seconds old."""
    yield from _of_seats(seen.seats, workers=seen.line.live_workers)
    yield from _of_horizon(seen)
    yield single(
        "rowmill_idle_in_transaction_sessions",
        "Sessions that are idle in a transaction",
        len(seen.idle),
    )
    yield from _of_line(seen.line)
    yield InfoMetricFamily(
        "rowmill_settings",
        "Settings that Rowmill counts on, as they are",
        value=dict(seen.settings),
    )
    standing = GaugeMetricFamily(
        "rowmill_doctor_state", "0 is well, 1 a warning, 2 a failure", labels=["check"]
    )
    for finding in seen.findings:
        standing.add_metric([finding.check], _STANDING[finding.state])
    yield standing


def single(name: str, text: str, value: float) -> Metric:
    """Return a gauge without labels."""
    return GaugeMetricFamily(name, text, value=value)


def _of_seats(seats: Seats, *, workers: int) -> Iterator[Metric]:
    yield single("rowmill_seats_max", "Seats that this role can have in all", seats.room)
    yield single("rowmill_seats_reserved", "Seats that are kept for superusers", seats.reserved)
    used = GaugeMetricFamily("rowmill_seats_used", "Seats that are taken", labels=["by"])
    for who, count in seats.taken.items():
        used.add_metric([who], count)
    yield used
    yield _by_part(
        "rowmill_seats_most",
        "Seats that one process can take",
        api=seats.api_most,
        worker=seats.worker_most,
    )
    yield _by_part(
        "rowmill_seats_fit",
        "Processes that fit in all, beside those of the other part that are there",
        api=seats.apis_that_fit(workers=workers),
        worker=seats.workers_that_fit(apis=max(1, seats.apis)),
    )


def _by_part(name: str, text: str, **counts: int) -> Metric:
    family = GaugeMetricFamily(name, text, labels=["part"])
    for part, count in counts.items():
        family.add_metric([part], count)
    return family


def _of_horizon(seen: Diagnosis) -> Iterator[Metric]:
    """Yield zeros where nobody holds it, so that an alert has something to compare."""
    yield single(
        "rowmill_horizon_age_transactions",
        "Transactions since what VACUUM must respect",
        max((one.transactions for one in seen.holders), default=0),
    )
    yield single(
        "rowmill_horizon_age_seconds",
        "Age of the oldest transaction that holds the horizon, where it is known",
        max((one.seconds or 0.0 for one in seen.holders), default=0.0),
    )
    # A label has few values: the names of strangers are not among them.
    holders = GaugeMetricFamily(
        "rowmill_horizon_holders", "Who holds the horizon", labels=["holder", "state"]
    )
    for (what, state), count in Counter(
        (one.what, one.state or "unknown") for one in seen.holders
    ).items():
        holders.add_metric([what, state], count)
    yield holders


def _of_line(line: Line) -> Iterator[Metric]:
    yield single("rowmill_jobs_stalled", "Running jobs that have not moved", line.stalled)
    yield single("rowmill_jobs_dead_rows", "Dead rows of the table of jobs", line.dead_rows)
    yield single("rowmill_jobs_table_bytes", "Size of the table of jobs", line.table_bytes)
    yield single("rowmill_claim_seconds", "What a claim looks for now", line.claim_seconds)
    yield single("rowmill_swept_seconds", "Age of the last sweep", line.swept_seconds)
    if line.bloat is not None:
        yield single("rowmill_jobs_bloat_ratio", "Share of it that holds nothing", line.bloat)
