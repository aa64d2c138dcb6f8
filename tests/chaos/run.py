"""One chaos run: a load flows in, a nemesis breaks things, all settles, and a verdict is given."""

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.chaos import load, verdict
from tests.chaos.nemesis import Nemesis
from tests.chaos.plan import Plan
from tests.chaos.scene import Scene, scene_on

SENDERS, LOOKERS = 4, 2


@dataclass(frozen=True)
class Report:
    """What a run came to; `faults` is empty if every promise was kept."""

    plan: Plan
    faults: dict[str, list[str]]
    met: Counter[str]
    answered: int
    looks: int
    seconds: float

    @property
    def summary(self) -> str:
        met = ", ".join(f"{name} {count}" for name, count in sorted(self.met.items()))
        return (
            f"seed {self.plan.seed}: {self.plan.uploads} uploads, {self.answered} of them "
            f"answered, {self.looks} looks, {self.plan.kills} kills in {self.seconds:.0f} s ({met})"
        )


def run(plan: Plan, folder: Path) -> Report:
    """Carry out a plan in a folder of its own."""
    began = time.monotonic()
    sent = load.cargo_list(plan.uploads, seed=plan.seed)
    with scene_on(folder, plan.conditions) as scene:
        pace = plan.seconds / plan.uploads
        clients = load.Load(
            sent, scene.ports, seed=plan.seed, pace=pace, senders=SENDERS, lookers=LOOKERS
        )
        nemesis = Nemesis(scene, plan)
        clients.start()
        nemesis.run()
        clients.hurry()
        for part in scene.parts:
            part.begin()
        # What a killed API held for its client is free after half a minute; nobody waits here.
        scene.insist("UPDATE idempotency_keys SET held_until = now()")
        clients.join()
        clients.stop()
        impossible = scene.settle(seconds=120 + plan.uploads / 20)
        faults = _judged(clients, scene)
    if impossible:
        faults["impossible"] = impossible
    return Report(
        plan,
        faults,
        nemesis.met,
        answered=sum(bool(one.paths) for one in sent),
        looks=sum(len(one.looks) for one in sent),
        seconds=time.monotonic() - began,
    )


def _judged(clients: load.Load, scene: Scene) -> dict[str, list[str]]:
    with clients.client(scene.ports[0]) as client:
        return verdict.judge(clients.sent, scene.house.data, client).faults
