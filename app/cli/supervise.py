"""Keeping programs alive until somebody wants to stop."""

import time
from collections.abc import Callable, Sequence

from app.cli.refusal import CannotRun
from app.cli.waiting import STOPS, next_signal, say
from app.cli.watched import Watched

NEEDS_A_PERSON = 2  # an exit code: starting it again would change nothing


def keep_alive(
    programs: Sequence[Watched],
    *,
    done: Callable[[], bool] = lambda: False,
    every: float = 60.0,
) -> bool:
    """Return True as soon as `done` is, which is asked `every` so often; False when told to stop.

    Raise CannotRun when a program has ended in a way that needs a person.
    """
    while not done():
        for program in programs:
            _refuse_hopeless(program)
            program.look(say)
        if next_signal(_pause(programs, every)) in STOPS:
            return False
    return True


def _refuse_hopeless(program: Watched) -> None:
    if program.process is not None and program.process.poll() == NEEDS_A_PERSON:
        raise CannotRun(f"the {program.name} cannot run: {program.last_words()}")


def _pause(programs: Sequence[Watched], longest: float) -> float:
    now = time.monotonic()
    return min([longest, *(program.due - now for program in programs if program.due is not None)])
