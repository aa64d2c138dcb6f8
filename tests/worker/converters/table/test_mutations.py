"""Damaged files of every format end in a typed outcome, never in a crash."""

import random
from collections.abc import Iterator

import pytest

from app.formats.table import TABLE
from tests.long import SEEDS
from tests.worker.converters.sentences import is_ours
from tests.worker.converters.table.conftest import Converting
from tests.worker.converters.table.samples import sample
from worker.converters.limits import Limits
from worker.outcome import Converted, Refused

SMALL = Limits(max_rows=10_000, max_inflated_bytes=20_000_000)
CODES = {
    "corrupt_input", "unsupported_content", "encoding_unknown", "inflates_too_much",
    "password_required", "too_many_rows", "too_many_columns", "cell_too_long",
}  # fmt: skip


def _mutations(content: bytes, seed: str) -> Iterator[bytes]:
    """Yield 24 damaged copies: cut, with bytes flipped, blown up, repeated or left out."""
    chance = random.Random(seed)
    for turn in range(24):
        data = bytearray(content)
        at, end = sorted(chance.randrange(len(data)) for _ in range(2))
        match turn % 6:
            case 0:
                del data[at:]
            case 1 | 2:
                for _ in range(chance.choice((1, 3, 40))):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 3:
                data[at : at + 4] = b"\xff\xff\xff\x7f"
            case 4:
                data[at:at] = data[at:end]
            case _:
                del data[at:end]
        yield bytes(data)


@pytest.mark.parametrize("source", sorted(TABLE.sources))
@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_file_has_a_typed_outcome(converting: Converting, source: str, seed: int) -> None:
    targets = [target for target in ("csv", "json", "xlsx", "parquet") if target != source]
    for number, damaged in enumerate(_mutations(sample(source), f"{source}{seed or ''}")):
        outcome = converting(damaged, source, targets[number % len(targets)], SMALL).outcome
        assert isinstance(outcome, Converted | Refused)
        assert isinstance(outcome, Converted) or outcome.code in CODES, outcome
        assert isinstance(outcome, Converted) or is_ours(outcome.detail), outcome


@pytest.mark.parametrize("source", sorted(TABLE.sources))
def test_a_file_under_another_name_has_a_typed_outcome(converting: Converting, source: str) -> None:
    for other in TABLE.sources:
        outcome = converting(sample(other), source, "csv" if source != "csv" else "json").outcome
        assert isinstance(outcome, Converted) or outcome.code in CODES, outcome
