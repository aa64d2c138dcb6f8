"""How far a conversion is, while LibreOffice says little of it."""

import pytest

from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting

pytestmark = pytest.mark.office


def test_it_grows_through_every_stage(converting: Converting) -> None:
    content = documents.zipped(documents.docx_parts(documents.paragraph("goose " * 40) * 9000))

    stages = converting(content, "docx", "pdf").told

    numbers = [number for number, _ in stages]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) >= 6
    assert max(numbers) < 1
    names = list(dict.fromkeys(stage for _, stage in stages))
    assert [name for name in names if name in {"starting", "reading", "writing"}] == [
        "starting",
        "reading",
        "writing",
    ]
    assert len({number for number, stage in stages if stage == "reading"}) >= 3
