"""Documents broken at random end in an outcome with a name, and none takes LibreOffice down."""

import random
from collections.abc import Callable

import pytest

from app.failures import CATALOGUE
from app.formats.office import OFFICE
from tests.long import TIMES
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.sentences import is_ours
from worker.outcome import Converted, Refused

pytestmark = pytest.mark.office

PARTS = 5
MUTATIONS = 200 // PARTS
PLAIN = [source for source in sorted(OFFICE.sources) if source != "encrypted-office"]


@pytest.mark.parametrize("part", range(PARTS * TIMES))
def test_every_mutation_ends_in_an_outcome(
    converting: Converting, sample: Callable[[str], bytes], part: int
) -> None:
    """Each in a cell of its own; about one in seven passes for whole and starts LibreOffice."""
    chance = random.Random(20_240_229 + part)
    converted = 0
    for number in range(MUTATIONS):
        source, content = _mutated(chance, sample)
        targets = OFFICE.targets_of(source)
        target = targets[number % len(targets)]
        outcome = converting(content, source, target).outcome
        assert isinstance(outcome, Converted | Refused), (source, target, outcome)
        if isinstance(outcome, Refused):
            assert outcome.code in CATALOGUE
            assert is_ours(outcome.detail), outcome
        else:
            converted += 1
    assert converted < MUTATIONS / 2, "nothing is looked at"


def _mutated(chance: random.Random, sample: Callable[[str], bytes]) -> tuple[str, bytes]:
    source = chance.choice(PLAIN)
    content = bytearray(sample(source))
    match chance.choice(["truncated", "flipped", "overwritten", "renamed"]):
        case "truncated":
            del content[chance.randrange(len(content)) :]
        case "flipped":
            for _ in range(chance.randint(1, 8)):
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        case "overwritten":
            at = chance.randrange(len(content))
            content[at : at + 40] = chance.randbytes(40)
        case "renamed":
            source = chance.choice(PLAIN)
    return source, bytes(content)
