"""What a seed decides: which blows fall when, on whom, and under which conditions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.chaos.conditions import ODD, Conditions

KILLS_OF_OURS = (
    "kill_api",
    "kill_worker",
    "kill_worker",
    "kill_spawner",
    "kill_cell",
    "kill_cell",
)
KILLS = (*KILLS_OF_OURS, "kill_postgres")
# Where nobody is there to be killed, these are.
INSTEAD = ("kill_worker", "kill_api")
STOPS = ("stop_worker", "stop_api", "crash_postgres")
# While one of these lasts, others are killed.
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
BLOWS_TO_A_TROUBLE = 8
LASTING_SECONDS = {"freeze_worker": 6.0, "take_seats": 10.0, "end_sessions": 6.0, "silence": 4.0}
OTHERWISE_SECONDS = 3.0
# Of what makes itself felt at once. As many blows fall together with the one before them.
PAUSE_SECONDS = 1.2
AT_ONCE = 0.5
STRIKE_SECONDS = 0.4  # until a process has died, or has been found


@dataclass(frozen=True)
class Blow:
    """One fault: `after` so many seconds, on the part that `victim` picks.

    A trouble lasts for `seconds`, and `meanwhile` others are killed.
    """

    fault: str
    after: float
    victim: int
    seconds: float = 0.0
    meanwhile: tuple["Blow", ...] = ()

    @property
    def takes(self) -> float:
        """How many seconds it takes at least."""
        return self.after + (STRIKE_SECONDS if self.fault not in TROUBLES else self.seconds)

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
        return sum(blow.takes for blow in self.blows)

    @property
    def kills(self) -> int:
        """How many have to die."""
        return sum(blow.kills for blow in self.blows)


def long_plan(seed: int, *, kills: int, uploads: int) -> Plan:
    """Deal kills at random, and now and then a trouble with kills as long as it lasts."""
    chance = random.Random(seed)
    blows: list[Blow] = []
    missing = kills
    while missing > 0:
        blows.append(_any(chance))
        missing -= blows[-1].kills
    return Plan(seed, uploads, chance.choice(ODD), tuple(blows))


def more(seed: int) -> Iterator[Blow]:
    """Yield blows without an end, for a plan whose blows have met too few."""
    chance = random.Random(-seed)
    while True:
        yield _any(chance)


def short_plan(seed: int, faults: Sequence[str], *, uploads: int) -> Plan:
    """Let each of these faults happen once, in an order of the seed's."""
    chance = random.Random(seed)
    dealt = chance.sample(faults, len(faults))
    blows = tuple(
        _trouble(chance, fault, [_blow(chance, "kill_worker")] if fault == "end_sessions" else [])
        if fault in TROUBLES
        else _blow(chance, fault)
        for fault in dealt
    )
    return Plan(seed, uploads, ODD[seed % len(ODD)], blows)


def _any(chance: random.Random) -> Blow:
    if chance.random() >= 1 / BLOWS_TO_A_TROUBLE:
        return _blow(chance, chance.choice((*KILLS, *KILLS, *STOPS)))
    fault = chance.choice(TROUBLES)
    inside: list[Blow] = []
    while sum(blow.takes for blow in inside) < _seconds(fault):
        inside.append(_blow(chance, chance.choice(KILLS_OF_OURS)))
    return _trouble(chance, fault, inside)


def _trouble(chance: random.Random, fault: str, inside: Sequence[Blow]) -> Blow:
    return Blow(fault, _pause(chance), chance.randrange(1000), _seconds(fault), tuple(inside))


def _seconds(fault: str) -> float:
    return LASTING_SECONDS.get(fault, OTHERWISE_SECONDS)


def _blow(chance: random.Random, fault: str) -> Blow:
    return Blow(fault, _pause(chance), chance.randrange(1000))


def _pause(chance: random.Random) -> float:
    return 0.0 if chance.random() < AT_ONCE else chance.uniform(0.2, 2 * PAUSE_SECONDS)
