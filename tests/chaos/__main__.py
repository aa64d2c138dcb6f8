"""The long form: `python -m tests.chaos --seed 7 --kills 1000 --uploads 5000`."""

import argparse
import secrets
import signal
import sys
import tempfile
from pathlib import Path

from tests.chaos import all_points
from tests.chaos.plan import long_plan
from tests.chaos.run import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--uploads", type=int, default=5000)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end all that was started
    plan = long_plan(given.seed, kills=given.kills, uploads=given.uploads)
    _say(f"make chaos SEED={given.seed} KILLS={given.kills} UPLOADS={given.uploads}")
    _say(
        f"{plan.kills} have to die, in {plan.seconds / 60:.0f} minutes at least; {plan.conditions}"
    )
    with _folder() as folder:
        report = run(plan, Path(folder), say=_say)
    _say(report.summary)
    _tell(report.faults)
    with _folder() as folder:
        faults = all_points.walk(Path(folder), _say)
    _tell(faults)
    return 1 if report.faults or faults else 0


def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="rmchaos-", dir="/tmp")


def _tell(faults: dict[str, list[str]]) -> None:
    for kind in ("lost", "doubled", "invented", "contradicted", "impossible"):
        said = faults.get(kind, [])
        _say(f"{kind}: {len(said)}")
        for sentence in said[:20]:
            _say(f"  {sentence}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
