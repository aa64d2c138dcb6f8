"""Takes each guard away in a copy of the tree and sees that a test notices: `make mutants`."""

import argparse
import sys

from tests.mutants.copy import FAILED, Copy, copied
from tests.mutants.guard import Guard
from tests.mutants.guards import GUARDS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only guards whose names have one of these")
    words = parser.parse_args().words
    guards = [one for one in GUARDS if not words or any(word in one.name for word in words)]
    with copied() as copy:
        if not _all_is_well(copy, guards):
            return 1
        survivors = [guard.name for guard in guards if not _is_noticed(copy, guard)]
    _say(f"{len(guards) - len(survivors)} of {len(guards)} mutants were noticed.")
    return 1 if survivors else 0


def _all_is_well(copy: Copy, guards: list[Guard]) -> bool:
    """Run the tests with every guard in its place: one that fails anyway proves nothing."""
    tests = sorted({test for guard in guards for test in guard.tests})
    done = copy.run(tests)
    if done.returncode:
        _say(f"The tests fail with every guard in its place:\n{done.stdout[-3000:]}")
    return done.returncode == 0


def _is_noticed(copy: Copy, guard: Guard) -> bool:
    with copy.without(guard):
        done = copy.run(guard.tests)
    noticed = done.returncode == FAILED
    _say(f"{'noticed ' if noticed else 'SURVIVED'}  {guard.name}")
    if not noticed:
        _say(done.stdout[-1500:] + done.stderr[-500:])
    return noticed


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
