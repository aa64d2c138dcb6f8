"""Every pair that GET /formats lists really converts."""

import pytest

from app.formats.image import IMAGE
from tests import samples
from tests.worker.converters.conftest import Converting
from tests.worker.converters.reader import corners, near

FLAG = [samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW]


@pytest.mark.parametrize(("source", "target"), sorted(IMAGE.pairs))
def test_every_pair_keeps_what_is_to_be_seen(
    converting: Converting, source: str, target: str
) -> None:
    result = converting(samples.sample(source), source, target)

    assert (result.facts["width"], result.facts["height"]) == result.image.size
    assert result.image.width / result.image.height == pytest.approx(1.5, rel=0.03)
    assert near(corners(result.image), FLAG)
    assert result.facts["frames"] == 1


@pytest.mark.parametrize("source", sorted(IMAGE.sources))
def test_bytes_of_another_format_are_refused(converting: Converting, source: str) -> None:
    other = "png" if source != "png" else "jpg"

    refused = converting(samples.sample(other), source, "png").refused

    assert refused.code == "corrupt_input"
    assert "not a" in str(refused.detail)


@pytest.mark.parametrize("source", sorted(IMAGE.sources))
def test_a_picture_that_ends_early_is_refused(converting: Converting, source: str) -> None:
    whole = samples.svg() if source == "svg" else samples.encoded(samples.noise((200, 150)), source)

    refused = converting(whole[: len(whole) * 2 // 3], source, "png").refused

    assert refused.code == "corrupt_input"


@pytest.mark.parametrize("source", sorted(IMAGE.sources))
@pytest.mark.parametrize("content", [b"", b"\0", bytes(range(256)) * 40])
def test_nonsense_is_refused(converting: Converting, source: str, content: bytes) -> None:
    assert converting(content, source, "webp").refused.code == "corrupt_input"
