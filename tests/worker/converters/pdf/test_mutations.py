"""Two hundred damaged documents: each ends in an outcome of its kind, soon, and says no secret."""

import random
from collections.abc import Callable

import pytest

from app.failures import CATALOGUE
from app.formats.pdf import PDF
from tests import samples
from tests.long import SEEDS
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting
from tests.worker.converters.sentences import is_ours
from worker.outcome import Converted, Refused

SEED = 20_240_229
ROUNDS = 10
SAMPLES: dict[str, bytes] = {
    "text": documents.saved(documents.document("one", "two")),
    "form": documents.form(),
    "scan": documents.scan(),
    "locked": documents.locked(documents.document("one"), user="secret word"),
}


def _truncate(content: bytes, dice: random.Random) -> bytes:
    return content[: dice.randrange(len(content))]


def _flip(content: bytes, dice: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(dice.choice((1, 4, 30))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _swap_numbers(content: bytes, dice: random.Random) -> bytes:
    """Change digits only: sizes, places and references to other objects."""
    changed = bytearray(content)
    digits = [at for at, byte in enumerate(changed) if 0x30 <= byte <= 0x39]
    for at in dice.sample(digits, min(len(digits), dice.choice((1, 5, 20)))):
        changed[at] = dice.randrange(0x30, 0x3A)
    return bytes(changed)


def _repeat(content: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(content))
    piece = content[start : start + dice.randrange(1, 400)]
    return content[:start] + piece * dice.choice((2, 50)) + content[start:]


def _rename(_content: bytes, dice: random.Random) -> bytes:
    return samples.sample(dice.choice(("png", "jpg", "gif", "svg"))) + bytes(dice.randrange(9))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("mutation", [_truncate, _flip, _swap_numbers, _repeat, _rename])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_mutation_ends_in_an_outcome(
    converting: Converting,
    name: str,
    mutation: Callable[[bytes, random.Random], bytes],
    seed: int,
) -> None:
    dice = random.Random(f"{SEED + seed} {name} {mutation.__name__}")
    for _ in range(ROUNDS):
        content = mutation(SAMPLES[name], dice)
        target = dice.choice(PDF.targets)

        result = converting(
            content, target, {"max_pixels": 1_000_000}, password="secret word", dpi=72
        )

        assert isinstance(result.outcome, Converted | Refused), (result.outcome, content)
        assert "secret word" not in f"{result.outcome} {result.printed}"
        if isinstance(result.outcome, Refused):
            assert result.refused.code in CATALOGUE
            assert is_ours(result.refused.detail), result.refused
        else:
            assert result.format == (result.outcome.format or target)
