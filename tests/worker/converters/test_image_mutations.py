"""Two hundred damaged pictures in real cells: each ends in an outcome of its kind, soon."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.failures import CATALOGUE
from app.formats.image import IMAGE
from tests import samples
from tests.long import SEEDS
from tests.worker.converters.sentences import is_ours
from worker.outcome import Converted, Refused
from worker.spawner.client import Spawner, Task

SEED = 1_987
ROUNDS = 4
SOURCES = sorted(IMAGE.sources)
LIMITS = {"max_pixels": 1_000_000, "max_pages": 20}

Mutation = Callable[[bytes, random.Random], bytes]


def _truncate(content: bytes, dice: random.Random) -> bytes:
    return content[: dice.randrange(len(content))]


def _flip(content: bytes, dice: random.Random) -> bytes:
    """Damage the head most of all: sizes, counts and places stand there."""
    changed = bytearray(content)
    for _ in range(dice.choice((1, 3, 20))):
        at = dice.randrange(dice.choice((40, 200, len(changed)))) % len(changed)
        changed[at] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _repeat(content: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(content))
    return content[:start] + content[start : start + dice.randrange(1, 300)] * 20 + content[start:]


def _rename(_content: bytes, dice: random.Random) -> bytes:
    return _sample(dice.choice(SOURCES), dice) + bytes(dice.randrange(9))


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[IMAGE.convert])
    spawner.start()
    assert spawner.ready == {IMAGE.convert: None}
    yield spawner
    spawner.stop()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mutation", [_truncate, _flip, _repeat, _rename])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_mutation_ends_in_an_outcome(
    spawner: Spawner, tmp_path: Path, source: str, mutation: Mutation, seed: int
) -> None:
    dice = random.Random(f"{SEED + seed} {source} {mutation.__name__}")
    for number in range(ROUNDS):
        content = mutation(_sample(source, dice), dice)
        target = dice.choice([name for name in IMAGE.targets if name != "avif"])

        outcome = _converted(spawner, tmp_path / str(number), content, source, target)

        assert isinstance(outcome, Converted | Refused), (outcome, content)
        if isinstance(outcome, Refused):
            assert outcome.code in CATALOGUE
            assert is_ours(outcome.detail), outcome


def _sample(source: str, dice: random.Random) -> bytes:
    if source in {"gif", "webp", "png"} and dice.random() < 0.5:
        return samples.animated(source)
    return samples.sample(source)


def _converted(spawner: Spawner, place: Path, content: bytes, source: str, target: str) -> object:
    place.mkdir(mode=0o700)
    (place / f"input.{source}").write_bytes(content)
    task = Task(
        convert=IMAGE.convert,
        scratch=place,
        source=f"input.{source}",
        target=f"output.{target}",
        source_format=source,
        target_format=target,
        options={},
        limits=LIMITS,
        memory_bytes=2 * 1024**3,
        cpu_seconds=20,
        file_bytes=64 * 1024**2,
        needs=IMAGE.needs,
    )
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=150), (source, target, content)
        return cell.outcome()
