"""What the operator's page says, as JSON values; the page for browsers draws the same.

Names and addresses of files are not in it: an address is the right to read, and whoever looks
after the machines need not read what people sent. `rowmill why` takes the number of a job, which
is a text here: JavaScript rounds numbers beyond 2^53.
"""

from typing import Any

from sqlalchemy import Row

from app.api.ops.look import Seen
from app.failures import clean
from app.models import Event, Job, Worker
from app.states import Move, Status

Document = dict[str, Any]


def document(seen: Seen) -> Document:
    """Return everything; `doctor` is what `rowmill doctor --json` prints."""
    waiting = seen.diagnosis.line.waiting
    return {
        "at": seen.at.isoformat(timespec="seconds"),
        "workers": [_worker(row) for row in seen.workers],
        "queue": [
            _line(row, is_offered=row.kind not in waiting or waiting[row.kind].is_offered)
            for row in seen.lines
        ],
        "running": [_running(row) for row in seen.running],
        "failures": [_failure(row) for row in seen.failures],
        "doctor": seen.diagnosis.document,
    }


def _worker(row: Row[Any]) -> Document:
    worker: Worker = row.Worker
    offers = worker.offers
    return {
        "name": clean(worker.name),
        "host": clean(worker.host),
        "version": clean(worker.version),
        "state": row.state,
        "slots": worker.slots,
        "busy": worker.busy,
        "silent_seconds": round(float(row.silent_seconds), 1),
        "missed_sweeps": worker.missed,
        "started_at": worker.started_at.isoformat(timespec="seconds"),
        "kinds": {clean(str(kind)): room for kind, room in (offers.get("kinds") or {}).items()},
        "problems": [clean(str(problem)) for problem in offers.get("problems") or ()],
        "sandbox": offers.get("sandbox"),
    }


def _line(row: Row[Any], *, is_offered: bool) -> Document:
    return {
        "kind": row.kind,
        "ready": row.under_a_minute + row.under_ten_minutes + row.longer,
        "under_a_minute": row.under_a_minute,
        "under_ten_minutes": row.under_ten_minutes,
        "longer": row.longer,
        "later": row.later,
        "oldest_seconds": round(float(row.oldest), 1),
        "is_offered": is_offered,
    }


def _running(row: Row[Any]) -> Document:
    job: Job = row.Job
    return {
        "job": str(job.id),
        **_pair(job.kind, job.payload),
        "worker": clean(job.locked_by or ""),
        "attempt": job.attempts,
        "progress": round(job.progress, 3),
        "stage": clean(job.stage or ""),
        "seconds": round(float(row.seconds or 0), 1),
        "still_seconds": round(float(row.still_seconds or 0), 1),
    }


def _failure(row: Row[Any]) -> Document:
    event: Event = row.Event
    said = event.detail or {}
    return {
        "job": str(event.job_id),
        "at": event.at.isoformat(timespec="seconds"),
        **_pair(row.kind, row.payload),
        "worker": clean(event.worker or ""),
        "attempt": event.attempt,
        "what": _WHAT[event.move],
        "tried_again": event.move is Move.RETRY or said.get("to") == Status.QUEUED,
        "code": str(said.get("code", _WHAT[event.move])),
        "detail": clean(str(said.get("detail", ""))),
        "log": clean(str(said.get("log", "")), 1000),
    }


def _pair(kind: str, payload: dict[str, Any]) -> Document:
    return {"kind": kind, "from": clean(str(payload["from"])), "to": clean(str(payload["to"]))}


_WHAT = {Move.FAIL: "failed", Move.RETRY: "broke", Move.RESCUE: "worker_lost"}
