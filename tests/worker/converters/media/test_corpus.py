"""Real films and sounds of others convert to everything that is offered for them."""

from pathlib import Path

import pytest

from app.formats.media import MEDIA, PICTURES
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize(
    ("source", "target"),
    [(source, to) for source in ("mp4", "mp3", "gif") for to in MEDIA.targets_of(source)],
)
def test_a_real_file_becomes_everything(
    converting: Converting, corpus: Path, source: str, target: str
) -> None:
    part = {} if target in PICTURES or source == "gif" else {"duration": 3}

    result = converting(corpus / f"real-{source}.{source}", source, target, **part)

    assert target in PICTURES or seen.seconds(result.made) > 2.5


def test_a_real_gif_with_odd_sides_becomes_a_film(converting: Converting, corpus: Path) -> None:
    result = converting(corpus / "real-gif-odddimensions.gif", "gif", "mp4")

    assert seen.frames(result.made)[0].size == (500, 402)


def test_a_whole_real_film_is_copied(converting: Converting, corpus: Path) -> None:
    result = converting(corpus / "real-mp4.mp4", "mp4", "mov")

    assert (result.facts["video"], result.facts["sound"]) == ("copied", "copied")
    assert seen.seconds(result.made) == pytest.approx(30.5, abs=0.1)


def test_half_a_real_film_is_refused(converting: Converting, corpus: Path) -> None:
    whole = (corpus / "real-mp4.mp4").read_bytes()

    assert converting(whole[: len(whole) // 2], "mp4", "webm").refused.code == "corrupt_input"
