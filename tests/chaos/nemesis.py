"""Breaks a running house by a plan, one function for each fault, and mends what it broke."""

import time
from collections import Counter

from tests.chaos.plan import Blow, Plan
from tests.chaos.scene import Scene
from tests.chaos.strikes import STRIKES
from tests.chaos.troubles import TROUBLES


class Nemesis:
    """Carries out a plan; `met` counts what has happened."""

    def __init__(self, scene: Scene, plan: Plan) -> None:
        self.met: Counter[str] = Counter()
        self._scene = scene
        self._plan = plan

    def run(self) -> None:
        for blow in self._plan.blows:
            self._fall(blow)

    def _fall(self, blow: Blow) -> None:
        time.sleep(blow.after)  # the plan says when; there is nothing to wait for
        self.met[blow.fault] += 1
        if blow.fault in STRIKES:
            STRIKES[blow.fault](self._scene, blow.victim)
            return
        with TROUBLES[blow.fault](self._scene, blow.victim):
            ends = time.monotonic() + blow.seconds
            for inner in blow.meanwhile:
                self._fall(inner)
            time.sleep(max(0.0, ends - time.monotonic()))
