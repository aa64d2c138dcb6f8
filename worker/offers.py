"""What this worker can really do, and why it cannot do the rest."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.formats.family import Family
from app.settings import BadSetting, Settings

MOST_NAMED = 3
Reasons = Mapping[str, Mapping[str, str | None]]  # source -> target -> None, or why not


@dataclass(frozen=True)
class Offers:
    """`rooms` holds the most slots for each kind, `pairs` what it can do of each.

    `lacking` lists, as "kind:from>to", the pairs that it cannot do, and gets those that it never
    heard of as it meets them; `reasons` says of a kind, or of such a pair, why; `problems` are the
    same in sentences for operators. `sandbox` is the setting of that name, for /readyz.
    """

    rooms: Mapping[str, int]
    pairs: Mapping[str, Mapping[str, list[str]]]
    problems: list[str] = field(default_factory=list)
    lacking: set[str] = field(default_factory=set)
    reasons: Mapping[str, str] = field(default_factory=dict)
    sandbox: str = "cell"

    @property
    def row(self) -> dict[str, Any]:
        """The same for the worker's row."""
        return {
            "kinds": dict(self.rooms),
            "pairs": dict(self.pairs),
            "problems": self.problems,
            "reasons": dict(self.reasons),
            "sandbox": self.sandbox,
        }

    def withdrawn(self, why: str) -> "Offers":
        """Return the offers of a worker that may convert nothing; only operators read why."""
        reasons = dict.fromkeys(self.rooms, "this worker cannot isolate conversions")
        return Offers({}, {}, [why], reasons=reasons, sandbox=self.sandbox)

    def renewed(self, found: "Offers") -> "Offers":
        """Return what was found since, with the same `lacking`, which others hold too."""
        self.lacking.difference_update(self.reasons)
        self.lacking.update(found.lacking)
        return replace(found, lacking=self.lacking)


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


def make(tried: Sequence[tuple[Family, Reasons | str]], settings: Settings) -> Offers:
    """Make the offers from what each family's trial said, or from the reason why it cannot run."""
    able = [(family, found) for family, found in tried if not isinstance(found, str)]
    whole = [f"{family.kind}: {found}" for family, found in tried if isinstance(found, str)]
    refused = [
        (family, source, target, why)
        for family, reasons in able
        for source, target in family.pairs
        if (why := reasons.get(source, {}).get(target)) is not None
    ]
    against = {pair(family.kind, source, target): why for family, source, target, why in refused}
    lacking = set(against)
    return Offers(
        rooms={family.kind: _room(family, settings) for family, _ in able},
        pairs={family.kind: _pairs(family, lacking) for family, _ in able},
        problems=whole + _sentences(refused),
        lacking=lacking,
        reasons=against | {one.kind: found for one, found in tried if isinstance(found, str)},
        sandbox=settings.sandbox,
    )


def pair(kind: str, source: str, target: str) -> str:
    """Return a pair of one family as `lacking` and `reasons` name it."""
    return f"{kind}:{source}>{target}"


def _sentences(refused: Sequence[tuple[Family, str, str, str]]) -> list[str]:
    """Say a reason once, however many pairs it stands against."""
    against: dict[tuple[str, str], list[str]] = {}
    for family, source, target, why in refused:
        against.setdefault((family.kind, why), []).append(f"{source} to {target}")
    return [f"{kind}: {_some(pairs)}: {why}" for (kind, why), pairs in against.items()]


def _some(pairs: list[str]) -> str:
    more = len(pairs) - MOST_NAMED
    return ", ".join(pairs[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _pairs(family: Family, lacking: Collection[str]) -> dict[str, list[str]]:
    return {
        source: [
            target
            for target in family.targets_of(source)
            if pair(family.kind, source, target) not in lacking
        ]
        for source in family.sources
    }


def _room(family: Family, settings: Settings) -> int:
    most = settings.kinds[family.kind] if settings.kinds else None
    return settings.slots if most is None else min(most, settings.slots)
