"""A picture for which there is not room enough is an error, never a picture without its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.formats.image import IMAGE
from tests import samples
from tests.worker.converters import cells
from worker.spawner.client import Spawner

MOVING = ("gif", "webp", "png", "avif")
NOISE = samples.encoded(samples.noise((200, 150)), "png")


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with cells.spawner_of(IMAGE) as spawner:
        yield spawner


@pytest.mark.parametrize("target", IMAGE.targets)
def test_a_result_that_lacks_a_byte_of_room_is_an_error(
    spawner: Spawner, target: str, tmp_path: Path
) -> None:
    assert_is_whole_or_an_error(spawner, NOISE, "png", target, tmp_path)


@pytest.mark.parametrize("target", MOVING)
def test_so_is_an_animation(spawner: Spawner, target: str, tmp_path: Path) -> None:
    source = "png" if target != "png" else "gif"
    assert_is_whole_or_an_error(spawner, samples.animated(source), source, target, tmp_path)


def assert_is_whole_or_an_error(
    spawner: Spawner, content: bytes, source: str, target: str, tmp_path: Path
) -> None:
    places = [tmp_path / name for name in ("whole", "short")]
    for place in places:
        place.mkdir()
    made = cells.convert(spawner, IMAGE, content, source, target, place=places[0], options={})
    assert made.facts
    size = made.path.stat().st_size
    short = cells.convert(
        spawner, IMAGE, content, source, target, place=places[1], options={}, file_bytes=size - 1
    )
    assert short.broken.code == "result_too_large"
