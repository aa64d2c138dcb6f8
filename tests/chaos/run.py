"""One chaos run: a load flows in, a nemesis breaks things, all settles, and a verdict is given."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.chaos import load
from tests.chaos.delays import Delays, delays
from tests.chaos.nemesis import Nemesis
from tests.chaos.plan import Plan
from tests.chaos.scene import Scene, scene_on
from tests.chaos.verdict import Verdict, judge
from tests.system.house import Process

SENDERS, LOOKERS = 6, 2


@dataclass(frozen=True)
class Report:
    """What a run came to; `faults` is empty if every promise was kept.

    `met` counts what happened and `missed` what met nobody, `killed` whom it killed.
    `amid` says how many files were sent before the last blow, `told_of_no_seat` how long those
    waited who asked while the database had no seat. `recovered` counts the files that are there
    although their clients had no answer.
    """

    plan: Plan
    faults: dict[str, list[str]]
    met: Counter[str]
    missed: Counter[str]
    killed: Counter[str]
    told_of_no_seat: list[float]
    amid: int
    answered: int
    recovered: int
    looks: int
    delays: Delays
    seconds: float

    @property
    def summary(self) -> str:
        told = self.told_of_no_seat
        sent = f"{self.plan.uploads} uploads, {self.amid} of them amid all that"
        answered = f"{self.answered} answered, {self.recovered} recovered without an answer"
        late = f", {max(told):.1f} s at most" if told else ""
        killed = f"{self.killed.total()} killed in {self.seconds:.0f} s"
        return "\n".join(
            (
                f"seed {self.plan.seed}: {killed}: {_counted(self.killed)}",
                f"what happened: {_counted(self.met)}",
                f"what met nobody, so that another was killed: {_counted(self.missed)}",
                f"{sent}, {answered}; {self.looks} looks",
                f"{len(told)} were told that there is no seat{late}",
                self.delays.summary,
            )
        )


def run(plan: Plan, folder: Path, *, say: Callable[[str], None] = lambda _: None) -> Report:
    """Carry out a plan in a folder of its own; `say` gets a line now and then."""
    began = time.monotonic()
    sent = load.cargo_list(plan.uploads, seed=plan.seed)
    with scene_on(folder, plan.conditions) as scene:
        nemesis = Nemesis(scene, plan, say=say)
        clients = load.Load(
            sent,
            scene.ports,
            seed=plan.seed,
            pace=plan.seconds / plan.uploads,
            clock=lambda: nemesis.elapsed,
            senders=SENDERS,
            lookers=LOOKERS,
            no_seats=scene.no_seats,
        )
        clients.start()
        nemesis.run()
        amid = clients.begun
        say(f"{amid} of {plan.uploads} are sent; the rest follows, and all settles")
        impossible = _settle(scene, clients)
        verdict, waited = _judged(clients, scene), delays(scene.house.sessions, scene.killed)
        impossible += [*crashes(scene.house.processes), *waited.late]
    faults = verdict.faults
    if impossible:
        faults["impossible"] = impossible
    return Report(
        plan,
        faults,
        met=nemesis.met,
        missed=nemesis.missed,
        killed=nemesis.killed,
        told_of_no_seat=clients.told_of_no_seat,
        amid=amid,
        answered=sum(bool(one.paths) for one in sent),
        recovered=len(verdict.recovered),
        looks=sum(len(one.looks) for one in sent),
        delays=waited,
        seconds=time.monotonic() - began,
    )


def _settle(scene: Scene, clients: load.Load) -> list[str]:
    clients.hurry()
    for part in scene.parts:
        part.begin()
    # What a killed API held for its client is free after half a minute; nobody waits here.
    scene.insist("UPDATE idempotency_keys SET held_until = now()")
    died = ended(clients)
    return [*died, *scene.settle()]


def ended(clients: load.Load) -> list[str]:
    """Wait until the clients have ended; return what became of those that died instead."""
    died = []
    for end in (clients.join, clients.stop):
        try:
            end()
        except load.Died as deaths:
            died.append(f"a client of the run itself died: {deaths}")
    return died


def _judged(clients: load.Load, scene: Scene) -> Verdict:
    with clients.client(scene.ports[0]) as client:
        return judge(clients.sent, scene.house.data, client)


def crashes(processes: Iterable[Process]) -> list[str]:
    """Return what APIs answered with 500, with the reason that their logs have."""
    return [
        f"{process.log.name}: {crash['method']} ended in {crash['exception'][0]['exc_type']}: "
        f"{crash['exception'][0]['exc_value']}"
        for process in processes
        for crash in map(json.loads, filter(_is_whole, process.lines("request.crashed")))
    ]


def _is_whole(line: str) -> bool:
    return line.endswith("}")  # who is killed writes less


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()) if count)
