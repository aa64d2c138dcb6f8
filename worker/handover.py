"""Finds out which family nobody has any more, and which can do its jobs, too.

To which family a job is given is decided when it is queued, perhaps before any worker lives. Most
pairs have one family that can do them; where another stands in, its jobs need not wait for ever.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats import catalogue
from app.models import Worker

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


def _with_a_choice() -> set[tuple[str, str]]:
    pairs = {pair for family in catalogue.families() for pair in family.pairs}
    return {pair for pair in pairs if len(catalogue.families_for(*pair)) > 1}


def _can(offers: Mapping[str, Any], kind: str, source: str, target: str) -> bool:
    return target in ((offers.get("pairs") or {}).get(kind) or {}).get(source, ())
