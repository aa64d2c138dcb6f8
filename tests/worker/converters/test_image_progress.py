"""Progress is told often, only grows, and leaves room for what comes after the pixels."""

import threading
import time
from pathlib import Path

import pytest
import pyvips
from PIL import Image

from app.formats.image import IMAGE
from tests import samples
from tests.worker.converters import cells
from tests.worker.converters.conftest import Converting
from worker.converters.image.progress import PIXELS_DONE, ImageMeter

LARGE = (1600, 1200)
LARGER = (4000, 3000)  # what is quick to make of the other size is made before anybody can look
QUICK = {"avif", "bmp", "jpg", "pdf", "tiff"}


@pytest.mark.parametrize(
    "target", ["jpg", "png", "webp", "avif", "tiff", "gif", "bmp", "ico", "pdf"]
)
@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_picture_tells_at_least_five_times(
    converting: Converting, target: str, orientation: int
) -> None:
    told: list[tuple[float, str]] = []
    exif = (
        b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"
        + bytes((orientation,))
        + b"\0" * 6
    )
    size = LARGER if target in QUICK else LARGE
    content = samples.encoded(samples.flag(size), "jpg", exif=exif)

    converting(content, "jpg", target, progress=lambda value, stage: told.append((value, stage)))

    values = [value for value, _ in told]
    assert len(set(values)) >= 5
    assert values == sorted(values)
    assert values[-1] == 0.95
    assert all(value <= 0.9 for value, stage in told if stage != "writing")
    stages = list(dict.fromkeys(stage for _, stage in told))
    assert stages == ["reading", "encoding", "writing"]


def test_what_a_cell_tells_comes_through_its_pipe_one_by_one(tmp_path: Path) -> None:
    content = samples.encoded(samples.flag((8000, 6000)), "jpg")
    place = tmp_path / "scratch"
    place.mkdir()

    with cells.spawner_of(IMAGE) as spawner:
        said = cells.convert(spawner, IMAGE, content, "jpg", "png", place=place, options={})

    values = [value for value, _ in said.told if value]
    assert len(set(values)) >= 5, said.told
    assert values == sorted(values)
    assert values[-1] == 0.95
    assert {"reading", "encoding", "writing"} >= {stage for value, stage in said.told if value}


@pytest.mark.parametrize("target", ["gif", "webp", "png", "avif"])
@pytest.mark.parametrize("source", ["gif", "png"])
def test_an_animation_tells_of_its_frames(converting: Converting, source: str, target: str) -> None:
    told: list[float] = []
    colours = [(20 * n, 100, 255 - 20 * n) for n in range(10)]
    content = samples.animated(source, colours=colours, delays=[100] * 10, size=(600, 600))

    converting(content, source, target, progress=lambda value, _stage: told.append(value))

    assert len(set(told)) >= 5
    assert told == sorted(told)


@pytest.mark.parametrize("target", ["png", "tiff", "webp", "pdf", "bmp"])
def test_an_exception_in_progress_ends_the_conversion(
    converting: Converting, tmp_path: Path, target: str
) -> None:
    """C calls back, where an exception would get lost, and it would go on to the end."""
    raised: list[float] = []

    def stop_once(value: float, _stage: str) -> None:
        if value > 0.1 and not raised:
            raised.append(value)
            raise InterruptedError

    content = samples.encoded(samples.flag(LARGE), "png")

    with pytest.raises(InterruptedError):
        converting(content, "png", target, progress=stop_once)
    assert not _is_whole(tmp_path / f"output.{target}")


def _is_whole(path: Path) -> bool:
    try:
        with Image.open(path) as opened:
            opened.load()
    except (OSError, SyntaxError):
        return False
    return True


def test_while_an_encoder_says_nothing_its_work_is_told() -> None:
    told: list[float] = []
    meter = ImageMeter(lambda value, _stage: told.append(value))
    image = pyvips.Image.black(8, 8)

    with meter.watch(image, until=0.4, stage="encoding", quiet=1.0):
        ends = time.process_time() + 1.5
        while time.process_time() < ends:
            sum(range(1000))
        assert len(set(told)) >= 3
        assert 0.4 < max(told) < PIXELS_DONE

    assert told[-1] == PIXELS_DONE


def test_an_encoder_that_hangs_makes_no_progress() -> None:
    """Whoever looks for conversions that stand still must find this one."""
    told: list[float] = []
    meter = ImageMeter(lambda value, _stage: told.append(value))

    with meter.watch(pyvips.Image.black(8, 8), until=0.4, stage="encoding", quiet=10.0):
        threading.Event().wait(1.0)
        assert max(told, default=0.0) < 0.02


def test_a_number_never_falls() -> None:
    told: list[float] = []
    meter = ImageMeter(lambda value, _stage: told.append(value))

    for value in (0.5, 0.2, 2.0):
        meter.reach(value, "encoding")

    assert told == [0.5, 0.5, 0.99]
