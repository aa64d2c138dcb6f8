"""Every pair that GET /formats lists really converts, and what is seen and heard stays."""

import pytest
from PIL import Image

from app.formats.media import FILMS, MEDIA, PICTURES
from tests.samples import BLUE, GREEN, RED, YELLOW
from tests.worker.converters.media import seen
from tests.worker.converters.media.conftest import Converting
from tests.worker.converters.media.studio import SECONDS, SIZE, TONE, Studio
from tests.worker.converters.reader import corners


def looks_like_the_flag(picture: Image.Image, within: int = 45) -> bool:
    return all(
        abs(one - two) <= within
        for colour, other in zip(corners(picture), [RED, GREEN, BLUE, YELLOW], strict=True)
        for one, two in zip(colour, other, strict=True)
    )


@pytest.mark.parametrize(("source", "target"), sorted(MEDIA.pairs))
def test_every_pair_keeps_what_is_seen_and_heard(
    converting: Converting, studio: Studio, source: str, target: str
) -> None:
    result = converting(studio.sample(source), source, target)

    if target in PICTURES:
        with Image.open(result.made) as opened:
            assert opened.size == SIZE == (result.facts["width"], result.facts["height"])
            assert looks_like_the_flag(opened.convert("RGB"))
        return
    assert seen.seconds(result.made) == pytest.approx(SECONDS, abs=0.15)
    assert result.facts["seconds"] == pytest.approx(SECONDS, abs=0.15)
    if target in (*FILMS, "gif"):
        pictures = seen.frames(result.made)
        assert pictures[0].size == SIZE == (result.facts["width"], result.facts["height"])
        assert all(looks_like_the_flag(one) for one in (pictures[0], pictures[-1]))
        assert 9 <= len(pictures) <= 27
    if "gif" not in (source, target):
        heard = seen.samples(result.made)
        assert seen.pitch(heard) == pytest.approx(TONE, rel=0.02)
        assert 0.1 < seen.loudness(heard) < 0.6
        assert result.facts["sound"]
