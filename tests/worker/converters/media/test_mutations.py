"""Two hundred files that a fault changed: each ends typed, within its limits, and soon."""

import random

import pytest

from app.formats.media import FILMS, MEDIA, SOUNDS
from tests.long import TIMES
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import Studio
from tests.worker.converters.sentences import is_ours
from worker.outcome import Broken, Converted, Refused

SOURCES = (*FILMS, *SOUNDS, "gif")
ROUNDS = 200
LIMITS = {"max_pixels": 1_000_000, "max_media_seconds": 60}
REFUSED = {
    "corrupt_input",
    "unsupported_content",
    "no_audio_stream",
    "no_video_stream",
    "too_many_pixels",
    "too_long",
    "bad_options",
}


def mutated(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    match chance.choice(["cut", "flip", "flip", "zero", "grow", "head"]):
        case "cut":
            del changed[chance.randrange(len(changed)) :]
        case "flip":
            for _ in range(chance.choice([1, 4, 32])):
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        case "zero":
            at = chance.randrange(len(changed))
            changed[at : at + 64] = bytes(64)
        case "grow":
            at = chance.randrange(len(changed))
            changed[at:at] = chance.randbytes(chance.choice([1, 100]))
        case "head":
            changed[chance.randrange(min(600, len(changed)))] = chance.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("part", range(8 * TIMES))
def test_every_mutation_ends_typed(converting: Converting, studio: Studio, part: int) -> None:
    chance = random.Random(part)
    for _ in range(ROUNDS // 8):
        source = chance.choice(SOURCES)
        called = source if chance.random() < 0.9 else chance.choice(SOURCES)
        target = chance.choice(MEDIA.targets_of(called))
        content = mutated(studio.sample(source).read_bytes(), chance)

        result = converting(content, called, target, LIMITS, file_bytes=8 * 1024**2)

        match result.outcome:
            case Converted():
                assert result.made.stat().st_size > 0
            case Refused(code, detail):
                assert code in REFUSED
                assert is_ours(detail), detail
                assert not result.path.exists()
            case Broken(code):
                assert code in ("memory_limit", "result_too_large"), result.broken.log
