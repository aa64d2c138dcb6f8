"""Gives jobs that wait for a family nobody has any more to one that can do them, too.

To which family a job is given is decided when it is queued, perhaps before any worker lives. Most
pairs have one family that can do them; where another stands in, its jobs need not wait for ever.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import case, func, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.formats import catalogue
from app.models import Job, Worker
from app.states import Status

MOST_AT_ONCE = 1000


def settle(session: Session, *, lease_seconds: float) -> int:
    """Give them away and return how many; only those that have waited for as long as a lease.

    For that long a worker that is being restarted is waited for: it does better. So it is, however
    long, with a job that has options: they are those of its family.
    """
    swaps = _swaps(session, lease_seconds)
    if not swaps:
        return 0
    patience = func.now() - timedelta(seconds=lease_seconds)
    pair = Job.kind + ":" + Job.payload["from"].astext + ">" + Job.payload["to"].astext
    waiting = (
        select(Job.id, pair.label("pair"))
        .where(Job.status == Status.QUEUED, Job.kind.in_({key.partition(":")[0] for key in swaps}))
        .where(Job.run_after <= patience, pair.in_(swaps))
        .where(Job.payload["options"] == literal({}, JSONB), ~Job.payload.has_key("secrets"))
        .order_by(Job.run_after, Job.id)
        .limit(MOST_AT_ONCE)
        .with_for_update(key_share=True, skip_locked=True)
        .cte("waiting")
    )
    statement = (
        update(Job)
        .where(Job.id == waiting.c.id)
        .values(kind=case(swaps, value=waiting.c.pair))
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    return len(session.execute(statement).all())


def _swaps(session: Session, lease_seconds: float) -> Mapping[str, str]:
    """Return the kind that can do a pair now, by "kind:from>to" of those that cannot."""
    alive = func.now() - timedelta(seconds=lease_seconds)
    beating = select(Worker.offers).where(Worker.lost_at.is_(None), Worker.heartbeat > alive)
    offers = session.scalars(beating).all()
    swaps: dict[str, str] = {}
    for source, target in _with_a_choice():
        kinds = [family.kind for family in catalogue.families_for(source, target)]
        able = [kind for kind in kinds if any(_can(one, kind, source, target) for one in offers)]
        lacking = [kind for kind in kinds if kind not in able]
        swaps |= {f"{kind}:{source}>{target}": able[0] for kind in lacking if able}
    return swaps


def _with_a_choice() -> set[tuple[str, str]]:
    pairs = {pair for family in catalogue.families() for pair in family.pairs}
    return {pair for pair in pairs if len(catalogue.families_for(*pair)) > 1}


def _can(offers: Mapping[str, Any], kind: str, source: str, target: str) -> bool:
    return target in ((offers.get("pairs") or {}).get(kind) or {}).get(source, ())
