"""Whatever is done to a document, its conversion ends in an outcome that somebody can act on."""

import random

import pytest

from app.failures import CATALOGUE
from tests.long import TIMES
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.sentences import is_ours
from worker.outcome import Converted, Refused

NUMBER = 200
TARGETS = ("txt", "html", "md", "pdf")


def _mutated(dice: random.Random, content: bytes) -> bytes:
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


@pytest.mark.parametrize("seed", range(4 * TIMES))
def test_a_mutated_document_ends_in_an_outcome(converting: Converting, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(NUMBER // 4):
        source, content = dice.choice(sorted(SAMPLES.items()))
        named = dice.choice((source, source, source, dice.choice(sorted(SAMPLES))))
        target = dice.choice([one for one in TARGETS if one != named])

        outcome = converting(_mutated(dice, content), named, target, cpu_seconds=20).outcome

        assert isinstance(outcome, (Converted, Refused)), (seed, source, named, target, outcome)
        if isinstance(outcome, Refused):
            assert outcome.code in CATALOGUE
            assert outcome.code not in ("memory_limit", "time_limit")
            assert is_ours(outcome.detail), outcome
