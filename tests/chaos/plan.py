"""What a seed decides: which blows fall when, on whom, and under which conditions."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.chaos.conditions import ODD, Conditions

KILLS = (
    "kill_api",
    "kill_worker",
    "kill_worker",
    "kill_spawner",
    "kill_cell",
    "kill_cell",
    "kill_postgres",
    "crash_postgres",
)
STOPS = ("stop_worker", "stop_api")
# While one of these lasts, others fall.
TROUBLES = (
    "freeze_worker",
    "end_sessions",
    "silence",
    "half_open",
    "slow",
    "take_seats",
    "read_only",
    "fill_disk",
)
KILLS_TO_A_TROUBLE = 8
LASTING_SECONDS = {"freeze_worker": 6.0, "take_seats": 10.0, "end_sessions": 6.0, "silence": 4.0}
OTHERWISE_SECONDS = 3.0
# Of what makes itself felt at once.
PAUSE_SECONDS = 1.2


@dataclass(frozen=True)
class Blow:
    """One fault: `after` so many seconds, on the part that `victim` picks.

    A trouble lasts for `seconds`, and `meanwhile` the other blows fall.
    """

    fault: str
    after: float
    victim: int
    seconds: float = 0.0
    meanwhile: tuple["Blow", ...] = ()

    @property
    def kills(self) -> int:
        return (self.fault in KILLS) + sum(blow.kills for blow in self.meanwhile)


@dataclass(frozen=True)
class Plan:
    """All that happens in a run; the same seed and sizes make the same plan."""

    seed: int
    uploads: int
    conditions: Conditions
    blows: tuple[Blow, ...]

    @property
    def seconds(self) -> float:
        """How long it takes at least."""
        return sum(blow.after + blow.seconds for blow in self.blows)

    @property
    def kills(self) -> int:
        return sum(blow.kills for blow in self.blows)


def long_plan(seed: int, *, kills: int, uploads: int) -> Plan:
    """Deal kills at random, and now and then a trouble with kills inside it."""
    chance = random.Random(seed)
    blows: list[Blow] = []
    while sum(blow.kills for blow in blows) < kills:
        if chance.random() < 1 / KILLS_TO_A_TROUBLE:
            inside = [chance.choice(KILLS[:-2]) for _ in range(chance.randrange(3))]
            blows.append(_trouble(chance, chance.choice(TROUBLES), inside))
        else:
            blows.append(_blow(chance, chance.choice((*KILLS, *KILLS, *STOPS))))
    return Plan(seed, uploads, chance.choice(ODD), tuple(blows))


def short_plan(seed: int, faults: Sequence[str], *, uploads: int) -> Plan:
    """Let each of these faults happen once, in an order of the seed's."""
    chance = random.Random(seed)
    dealt = chance.sample(faults, len(faults))
    blows = tuple(
        _trouble(chance, fault, ["kill_worker"] if fault == "end_sessions" else [])
        if fault in TROUBLES
        else _blow(chance, fault)
        for fault in dealt
    )
    return Plan(seed, uploads, ODD[seed % len(ODD)], blows)


def _trouble(chance: random.Random, fault: str, inside: Sequence[str]) -> Blow:
    seconds = LASTING_SECONDS.get(fault, OTHERWISE_SECONDS)
    meanwhile = tuple(_blow(chance, kill) for kill in inside)
    return Blow(fault, _pause(chance), chance.randrange(1000), seconds, meanwhile)


def _blow(chance: random.Random, fault: str) -> Blow:
    return Blow(fault, _pause(chance), chance.randrange(1000))


def _pause(chance: random.Random) -> float:
    return chance.uniform(0.2, 2 * PAUSE_SECONDS)
