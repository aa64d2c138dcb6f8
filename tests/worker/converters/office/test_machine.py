"""What the machine lacks is said of the machine, and never of the document."""

from pathlib import Path

import pytest

from app.formats.office import OFFICE
from tests.worker.converters.office import documents
from tests.worker.converters.office.conftest import Converting
from worker.converters.office.trial import reasons
from worker.outcome import Broken

pytestmark = pytest.mark.office


@pytest.mark.parametrize("megabytes", [256, 300, 360])
def test_too_little_memory_is_no_damage(converting: Converting, megabytes: int) -> None:
    content = documents.sample("docx")

    outcome = converting(content, "docx", "pdf", memory_bytes=megabytes * 1024**2).outcome

    assert isinstance(outcome, Broken)
    assert outcome.code == "memory_limit"


@pytest.mark.parametrize("target", ["rtf", "pdf"])
def test_too_long_a_file_is_no_damage(converting: Converting, target: str) -> None:
    """Neither what LibreOffice writes while it reads, nor the result."""
    content = documents.zipped(documents.docx_parts(documents.paragraph("goose " * 40) * 4000))

    outcome = converting(content, "docx", target, file_bytes=300_000).outcome

    assert isinstance(outcome, Broken)
    assert outcome.code == "result_too_large"


def test_the_trial_says_of_every_pair_that_it_works(converting: Converting) -> None:
    facts = converting(b"", "", "json", converter=str(OFFICE.trial)).facts

    assert facts["pairs"] == {
        source: dict.fromkeys(OFFICE.targets_of(source)) for source in OFFICE.sources
    }


@pytest.mark.parametrize("place", [None, Path("/nowhere")])
def test_without_libreoffice_the_trial_names_what_to_install(place: Path | None) -> None:
    said = reasons(place)

    assert len(said) == 3
    assert all(reason and "libreoffice-" in reason for reason in said.values())
