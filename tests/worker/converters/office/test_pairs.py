"""Every pair that GET /formats lists really converts, and other programs read the result."""

from collections.abc import Callable

import pytest

from app.formats.office import LOCKED, OFFICE
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.documents import MORE, WORDS
from tests.worker.converters.office.reader import text_of

PAIRS = [pair for pair in sorted(OFFICE.pairs) if pair[0] != LOCKED]

pytestmark = pytest.mark.office


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_pair_keeps_what_is_written(
    converting: Converting, sample: Callable[[str], bytes], source: str, target: str
) -> None:
    result = converting(sample(source), source, target)

    assert result.facts["notes"] == []
    assert result.facts.get("pages") == (1 if target == "pdf" else None)
    written = text_of(result.path, target)
    assert WORDS in written
    assert MORE in written
