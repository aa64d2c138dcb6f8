"""Breaks a running house by a plan, one function for each fault, and mends what it broke."""

import time
from collections import Counter
from collections.abc import Callable

from tests.chaos.plan import INSTEAD, KILLS, Blow, Plan, more
from tests.chaos.scene import Scene
from tests.chaos.strikes import PATIENCE_SECONDS, STRIKES
from tests.chaos.troubles import TROUBLES

TOLD_EACH = 100
# How often a kill is tried before another is dealt; while a trouble lasts it may be in vain.
TRIES = 15


class Nemesis:
    """Carries out a plan; `met` counts what has happened, and `missed` what met nobody.

    `killed` counts whom it killed. `say` gets a line for each hundred of them.
    """

    def __init__(self, scene: Scene, plan: Plan, *, say: Callable[[str], None]) -> None:
        self.met: Counter[str] = Counter()
        self.missed: Counter[str] = Counter()
        self.killed: Counter[str] = Counter()
        self._scene = scene
        self._plan = plan
        self._say = say
        self._began = self._blow_began = time.monotonic()
        self._passed = self._takes = 0.0

    @property
    def elapsed(self) -> float:
        """How far it is in the plan, in the plan's own seconds: on a busy machine they are long."""
        return self._passed + min(self._takes, time.monotonic() - self._blow_began)

    @property
    def kills(self) -> int:
        return self.killed.total()

    def run(self) -> None:
        """Deal the blows of the plan, and more of them until as many have died as it says."""
        for blow in self._plan.blows:
            self._blow_began, self._takes = time.monotonic(), blow.takes
            self._fall(blow)
            self._passed, self._takes = self._passed + self._takes, 0.0
        for blow in more(self._plan.seed):
            if self.kills >= self._plan.kills:
                return
            self._fall(blow)

    def _fall(self, blow: Blow) -> None:
        time.sleep(blow.after)  # the plan says when; there is nothing to wait for
        if blow.fault in STRIKES:
            self._strike(blow, tries=TRIES)
            return
        with TROUBLES[blow.fault](self._scene, blow.victim) as is_felt:
            ends = time.monotonic() + blow.seconds
            for inner in blow.meanwhile:
                time.sleep(inner.after)
                self._strike(inner, tries=1)
            time.sleep(max(0.0, ends - time.monotonic()))
            (self.met if is_felt() else self.missed)[blow.fault] += 1

    def _strike(self, blow: Blow, *, tries: int) -> None:
        """Strike, and where there is nobody of this kind, somebody of another.

        The plan goes on with each try in vain, so that clients bring what a victim works at.
        """
        for fault in (*[blow.fault] * tries, *INSTEAD):
            if (whom := STRIKES[fault](self._scene, blow.victim)) is not None:
                self.missed[blow.fault] += fault != blow.fault
                self._note(fault, whom)
                return
            self._takes += PATIENCE_SECONDS

    def _note(self, fault: str, whom: str) -> None:
        self.met[fault] += 1
        if fault in KILLS:
            self.killed[whom] += 1
            if self.kills % TOLD_EACH == 0:
                self._say(f"{self.kills} killed in {time.monotonic() - self._began:.0f} s")
