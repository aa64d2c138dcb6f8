"""Every move of a job, in life order; nothing else writes `jobs.status`.

Each function takes the session first and never commits. A move and its event are one
statement. Moves that a worker makes are fenced by the lease, moves that a person asks for by
the upload's row, which `lock` takes first (lock order: upload, worker, job). The statements
are built once a process, in the files beside this one.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, Update, text
from sqlalchemy.orm import Session

from app.models import Upload
from app.queue import asking, claiming, ending, handing_over, rescuing, turnover
from app.queue.parts import REPEATED
from app.queue.rescuing import MOST_LOSSES
from app.queue.shapes import Claimed, Ending, Standing
from app.states import Move

__all__ = ["MOST_LOSSES", "REPEATED", "Claimed", "Ending", "Standing"]

CHANNEL = "rowmill_jobs"
_NO_FLOORS: Mapping[str, datetime] = {}


def lock(session: Session, upload_id: UUID) -> Upload | None:
    """Lock the upload's row until the transaction ends; None when there is no such upload."""
    return session.get(
        Upload, upload_id, with_for_update={"key_share": True}, populate_existing=True
    )


def enqueue(
    session: Session, upload_id: UUID, *, kind: str, payload: Mapping[str, Any], max_attempts: int
) -> int:
    """Add a job to an upload that this transaction made or locked; return the job's number."""
    values = {
        "upload": upload_id,
        "kind": kind,
        "payload": dict(payload),
        "max_attempts": max_attempts,
    }
    return int(session.scalars(asking.enqueue(), values).one())


def claim(
    session: Session,
    *,
    worker: str,
    rooms: Mapping[str, int],
    leases: Sequence[UUID],
    lacking: Collection[str] = (),
    floors: Mapping[str, datetime] = _NO_FLOORS,
) -> list[Claimed]:
    """Take at most one ready job for each lease, at most `rooms[kind]` of a kind, oldest first.

    `lacking` lists "kind:from>to" pairs that this worker cannot do although it can do their kind.
    Of a kind with a floor only jobs are looked at whose `run_after` is not before it. A worker
    that was declared lost gets nothing.
    """
    values = claiming.values(
        worker=worker, rooms=rooms, leases=leases, lacking=lacking, floors=floors
    )
    values["free"] = len(leases)
    rows = session.execute(claiming.claim(), values)
    return [claiming.claimed(row, leases) for row in rows]


def succeed(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Record results; return the leases whose jobs this statement moved."""
    return set(session.scalars(ending.succeed(), ending.values(endings)))


def turn_over(
    session: Session,
    endings: Sequence[Ending],
    *,
    worker: str,
    rooms: Mapping[str, int],
    leases: Sequence[UUID],
    lacking: Collection[str] = (),
    floors: Mapping[str, datetime] = _NO_FLOORS,
) -> tuple[set[UUID], list[Claimed]]:
    """Succeed, and claim for the slots that this frees, in one statement.

    The leases beyond one for each ending are for slots that are free already, as are `rooms`.
    An ending that moves nothing frees nothing. Returned are the leases moved and the jobs.
    """
    values = claiming.values(
        worker=worker, rooms=rooms, leases=leases, lacking=lacking, floors=floors
    )
    values |= {"free": len(leases) - len(endings), **ending.values(endings)}
    rows = session.execute(turnover.turn_over(), values).all()
    ended = {endings[n].lease_id for job_id, *_, n in rows if job_id is None}
    return ended, [claiming.claimed(row, leases) for row in rows if row[0] is not None]


def retry(session: Session, endings: Sequence[Ending], *, backoff_seconds: float) -> set[UUID]:
    """Queue jobs again after a pause, or fail those whose attempts are spent; keep the reason."""
    values = {"backoff": backoff_seconds, **ending.values(endings)}
    return set(session.scalars(ending.retry(), values))


def fail(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Record that these inputs cannot be converted, each with its reason."""
    return set(session.scalars(ending.fail(), ending.values(endings)))


def release(session: Session, endings: Sequence[Ending]) -> set[UUID]:
    """Give jobs back uncharged, at their old place in the line."""
    return set(session.scalars(ending.release(), ending.values(endings)))


def standing(session: Session, move: Move, endings: Sequence[Ending]) -> dict[UUID, Standing]:
    """Say for each ending that a record did not move why: already, busy, waiting or lost."""
    rows = session.execute(ending.standing(move), {"endings": ending.rows(endings)})
    return {lease: _standing(*answers) for lease, *answers in rows}


def rescue(session: Session, *, misses: int, backoff_seconds: float) -> list[str]:
    """Declare silent workers lost and queue their jobs again; return the workers newly lost.

    A worker whose row is locked is beating right now and wins. The first loss costs no pause;
    after MOST_LOSSES a job fails: its input may be what brings the workers down.
    """
    values = {"misses": misses, "backoff": backoff_seconds}
    rows = session.execute(rescuing.rescue(), values)
    return [name for name, known in rows if not known]


def hand_over(session: Session, swaps: Mapping[str, str]) -> list[int]:
    """Give jobs that are due and have no options to another family; return their ids.

    `swaps` names the kind that can do a pair by "kind:from>to" of one that is away.
    """
    if not swaps:
        return []
    kinds = sorted({pair.partition(":")[0] for pair in swaps})
    values = {"pairs": list(swaps), "able": list(swaps.values()), "kinds": kinds}
    return list(session.scalars(handing_over.hand_over(), values))


def cancel(session: Session, upload_id: UUID, *, number: int | None = None) -> list[int]:
    """Cancel a job of a locked upload, or all its open ones; return the numbers moved."""
    return list(session.scalars(asking.cancel(), {"upload": upload_id, "job_number": number}))


def again(session: Session, upload_id: UUID, *, number: int) -> bool:
    """Queue a failed or cancelled job of a locked upload anew; False when it is neither."""
    values = {"upload": upload_id, "job_number": number}
    return session.scalars(asking.again(), values).first() is not None


def untold(uploads: Select[UUID]) -> Update:
    """Return what takes out of the results of locked uploads what they tell of their contents.

    It is a statement, to be executed or to be part of a larger one.
    """
    return asking.untold(uploads)


def wake(session: Session) -> None:
    """Tell idle workers that there may be work; for a transaction of its own, best effort."""
    session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": CHANNEL})


def _standing(done: bool, ours: bool, waits: bool) -> Standing:
    answers = {Standing.ALREADY: done, Standing.BUSY: ours, Standing.WAITING: waits}
    return next((standing for standing, holds in answers.items() if holds), Standing.LOST)
