"""Documents broken at random end in an outcome with a name, and none takes LibreOffice down."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from app.failures import CATALOGUE
from app.formats.office import OFFICE
from tests.long import TIMES
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.sentences import is_ours
from worker.converters.limits import Limits
from worker.converters.office import looking
from worker.converters.refusal import Refusal
from worker.outcome import Converted, Refused

pytestmark = pytest.mark.office

PARTS = 5
MUTATIONS = 200 // PARTS
STARTS = 3
PLAIN = [source for source in sorted(OFFICE.sources) if source != "encrypted-office"]


@pytest.mark.parametrize("part", range(PARTS * TIMES))
def test_every_mutation_ends_in_an_outcome(
    converting: Converting, sample: Callable[[str], bytes], tmp_path: Path, part: int
) -> None:
    """Those that pass for whole go on to LibreOffice; a start takes time, so only some do."""
    chance = random.Random(20_240_229 + part)
    passed = []
    for _ in range(MUTATIONS):
        source, content = _mutated(chance, sample)
        refusal = _refused(tmp_path, source, content)
        if refusal is None:
            passed.append((source, content))
        else:
            assert refusal.code in CATALOGUE
            assert is_ours(refusal.detail), refusal.detail

    assert len(passed) < MUTATIONS / 2, "nothing is looked at"
    for source, content in passed[:STARTS]:
        outcome = converting(content, source, "pdf").outcome
        assert isinstance(outcome, Converted | Refused), outcome
        assert isinstance(outcome, Converted) or is_ours(outcome.detail), outcome


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


def _refused(folder: Path, source: str, content: bytes) -> Refusal | None:
    path = folder / f"input.{source}"
    path.write_bytes(content)
    try:
        looking.look(path, source, limits=Limits())
    except Refusal as refusal:
        return refusal
    return None
