"""Whatever is done to a document, its conversion ends in an outcome that somebody can act on."""

import random

import pytest

from app.failures import CATALOGUE
from app.formats.document import DOCUMENT
from tests.long import TIMES
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.sentences import is_ours
from worker.outcome import Converted, Refused

NUMBER = 200
AT_ONCE = NUMBER // 4
PAIRS = sorted(DOCUMENT.pairs)
random.Random(7).shuffle(PAIRS)  # what takes long is not in one test alone


def mutated(dice: random.Random, content: bytes) -> bytes:
    kind = dice.randrange(4)
    at = dice.randrange(len(content))
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + dice.randbytes(dice.randrange(1, 40)) + content[at:]
    if kind == 2:
        end = min(len(content), at + dice.randrange(1, 200))
        return content[:at] + content[end:]
    changed = bytearray(content)
    for _ in range(dice.randrange(1, 12)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def turn(seed: int, number: int, dice: random.Random) -> tuple[str, str, str]:
    """Return the format that a document is in, the one it is called, and its target.

    Every pair has its turn once, then all formats under each other's names have theirs.
    """
    at = seed * AT_ONCE + number
    named, target = PAIRS[at % len(PAIRS)]
    is_first = at < len(PAIRS)
    return named if is_first else dice.choice((named, *sorted(SAMPLES))), named, target


def test_every_pair_has_its_turn() -> None:
    dice = random.Random(0)
    turns = {turn(seed, number, dice) for seed in range(4) for number in range(AT_ONCE)}

    assert {(named, target) for source, named, target in turns if source == named} >= {*PAIRS}
    assert any(source != named for source, named, _ in turns)


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_a_mutated_document_ends_in_an_outcome(converting: Converting, seed: int) -> None:
    dice = random.Random(seed)
    for number in range(AT_ONCE):
        source, named, target = turn(seed, number, dice)

        outcome = converting(mutated(dice, SAMPLES[source]), named, target, cpu_seconds=20).outcome

        assert isinstance(outcome, (Converted, Refused)), (seed, source, named, target, outcome)
        if isinstance(outcome, Refused):
            assert outcome.code in CATALOGUE
            assert outcome.code not in ("memory_limit", "time_limit")
            assert is_ours(outcome.detail), outcome
