"""What this worker can really do, and why it cannot do the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.formats.family import Family
from app.settings import BadSetting, Settings


@dataclass(frozen=True)
class Offers:
    """`rooms` holds the most slots for each kind; `problems` are sentences for operators."""

    rooms: Mapping[str, int]
    pairs: Mapping[str, Mapping[str, list[str]]]
    problems: list[str] = field(default_factory=list)

    @property
    def row(self) -> dict[str, Any]:
        """The same for the worker's row."""
        return {"kinds": dict(self.rooms), "pairs": dict(self.pairs), "problems": self.problems}


def wanted(families: tuple[Family, ...], settings: Settings) -> list[Family]:
    """Return the families that ROWMILL_KINDS allows; raise BadSetting for a kind nobody knows."""
    if settings.kinds is None:
        return list(families)
    known = {family.kind for family in families}
    for kind in settings.kinds:
        if kind not in known:
            names = ", ".join(sorted(known))
            raise BadSetting(f"ROWMILL_KINDS names {kind!r}, which is not one of: {names}.")
    return [family for family in families if family.kind in settings.kinds]


def make(families: list[Family], ready: Mapping[str, str | None], settings: Settings) -> Offers:
    """Offer the families whose converter could be imported; `ready` holds the reason otherwise."""
    able = [family for family in families if ready.get(family.convert, "not tried") is None]
    problems = [
        f"{family.kind}: {ready.get(family.convert, 'not tried')}"
        for family in families
        if family not in able
    ]
    return Offers(
        rooms={family.kind: _room(family, settings) for family in able},
        pairs={
            family.kind: {source: list(family.targets) for source in family.sources}
            for family in able
        },
        problems=problems,
    )


def _room(family: Family, settings: Settings) -> int:
    most = settings.kinds[family.kind] if settings.kinds else None
    return settings.slots if most is None else min(most, settings.slots)
