"""Hands jobs that wait for a family nobody has any more over to one that can do them, too.

To which family a job is given is decided when it is queued, perhaps before any worker lives. Most
pairs have one family that can do them; where another stands in, its jobs need not wait for ever.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy import case, func, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.formats import catalogue
from app.models import Job, Worker
from app.states import Status

MOST_AT_ONCE = 1000
Swaps = Mapping[str, str]  # the kind that can do a pair, by "kind:from>to" of one that cannot


class Absences:
    """For how many sweeps of this worker each family has been away; counted, as misses are.

    A clock would call all families away when the database comes back.
    """

    def __init__(self) -> None:
        self._sweeps: Counter[str] = Counter()

    def lasting(self, found: Swaps, *, sweeps: int) -> Swaps:
        """Take note of what a sweep found; return what so many before it had found, too."""
        self._sweeps = Counter({key: self._sweeps[key] + 1 for key in found})
        return {key: kind for key, kind in found.items() if self._sweeps[key] > sweeps}


def swaps(session: Session) -> Swaps:
    """Return what could be handed over to which kind, by what workers offer that are not lost."""
    offers = session.scalars(select(Worker.offers).where(Worker.lost_at.is_(None))).all()
    found: dict[str, str] = {}
    for source, target in _with_a_choice():
        kinds = [family.kind for family in catalogue.families_for(source, target)]
        able = [kind for kind in kinds if any(_can(one, kind, source, target) for one in offers)]
        lacking = [kind for kind in kinds if kind not in able]
        found |= {f"{kind}:{source}>{target}": able[0] for kind in lacking if able}
    return found


def hand_over(session: Session, lasting: Swaps) -> list[int]:
    """Give the jobs that are due to the other family; return their ids.

    A job with options waits on: they are those of its family.
    """
    if not lasting:
        return []
    pair = Job.kind + ":" + Job.payload["from"].astext + ">" + Job.payload["to"].astext
    kinds = {key.partition(":")[0] for key in lasting}
    waiting = (
        select(Job.id, pair.label("pair"))
        .where(Job.status == Status.QUEUED, Job.kind.in_(kinds))
        .where(Job.run_after <= func.now(), pair.in_(lasting))
        .where(Job.payload["options"] == literal({}, JSONB), ~Job.payload.has_key("secrets"))
        .order_by(Job.run_after, Job.id)
        .limit(MOST_AT_ONCE)
        .with_for_update(key_share=True, skip_locked=True)
        .cte("waiting")
    )
    statement = (
        update(Job)
        .where(Job.id == waiting.c.id)
        .values(kind=case(lasting, value=waiting.c.pair))
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    return list(session.scalars(statement))


def _with_a_choice() -> set[tuple[str, str]]:
    pairs = {pair for family in catalogue.families() for pair in family.pairs}
    return {pair for pair in pairs if len(catalogue.families_for(*pair)) > 1}


def _can(offers: Mapping[str, Any], kind: str, source: str, target: str) -> bool:
    return target in ((offers.get("pairs") or {}).get(kind) or {}).get(source, ())
