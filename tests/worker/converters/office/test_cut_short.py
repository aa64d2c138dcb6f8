"""A document whose end is missing is still taken for one by its name, and called damaged."""

from collections.abc import Callable

import pytest

from app.formats.catalogue import settled_format
from app.formats.office import OFFICE
from app.formats.recognise import recognise
from tests.worker.converters.office.conftest import Converting
from tests.worker.converters.office.test_refusals import refused_unstarted

pytestmark = pytest.mark.office


@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.95])
@pytest.mark.parametrize("name", sorted({*OFFICE.sources} - {"encrypted-office", "rtf"}))
def test_a_document_that_ends_early_is_called_damaged_by_who_it_goes_to(
    converting: Converting, sample: Callable[[str], bytes], name: str, part: float
) -> None:
    whole = sample(name)
    content = whole[: int(len(whole) * part)]

    source = settled_format(recognise(content, content, size=len(content)), f"letter.{name}")

    assert source == name
    assert "damaged or incomplete" in refused_unstarted(converting(content, source, "pdf"))
