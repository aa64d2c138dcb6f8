"""What refuses a file is a sentence of ours; what a library or a program said is for operators."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from app.formats.document import DOCUMENT
from app.formats.family import Family
from app.formats.image import IMAGE
from app.formats.media import MEDIA
from app.formats.office import OFFICE, OLD
from app.formats.options import Options
from app.formats.pdf import PDF
from app.formats.table import TABLE, TableOptions
from tests import samples
from tests.long import some
from tests.worker.converters import cells
from tests.worker.converters.document.documents import SAMPLES
from tests.worker.converters.document.packages import archive
from tests.worker.converters.media.studio import Studio
from tests.worker.converters.office import documents as office
from tests.worker.converters.office.locking import compound
from tests.worker.converters.pdf import documents as pdf
from tests.worker.converters.sentences import is_ours, quotations
from tests.worker.converters.table.samples import sample as table
from worker.converters.refusal import Refusal, wish_of
from worker.outcome import Converted, Refused
from worker.spawner.client import Spawner

FAMILIES = (IMAGE, MEDIA, PDF, OFFICE, TABLE, DOCUMENT)
# Whole to whoever looks from outside, so that the reader itself has something to say.
SPEAKING: Mapping[str, list[tuple[str, bytes]]] = {
    "document": [
        *((source, archive({"a.txt": "nothing"})) for source in ("docx", "odt", "epub")),
        ("ipynb", b"{"),
        ("ipynb", b'{"cells": 7}'),
    ],
    "table": [("json", b'[{"a": 1} {"a": 2}]'), ("json", b'[{"a" 1}]'), ("ndjson", b'{"a": }')],
    "office": [("xls", compound({"Workbook": b"\x09\x08\x10\x00".ljust(9000, b"\xfe")}))],
    "pdf": [
        ("pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>")
    ],
}


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[family.convert for family in FAMILIES])
    spawner.start()
    assert set(spawner.ready.values()) == {None}
    yield spawner
    spawner.stop()


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Callable[[str], bytes]]:
    """Return for each family what makes a whole file of one of its sources."""
    studio = Studio(tmp_path_factory.mktemp("studio"))
    return {
        "image": samples.sample,
        "media": lambda source: studio.sample(source).read_bytes(),
        "pdf": lambda _source: pdf.saved(pdf.document("one", "two")),
        "office": _office,
        "table": table,
        "document": lambda source: _bytes(SAMPLES[source]),
    }


@pytest.mark.parametrize(
    ("family", "source"),
    some(
        [
            pytest.param(
                family,
                source,
                marks=[pytest.mark.office] if family is OFFICE else [],
                id=f"{family.kind}-{source}",
            )
            for family in FAMILIES
            for source in family.sources
        ],
        each=2,
    ),
)
def test_a_damaged_file_is_refused_in_our_own_words(
    spawner: Spawner,
    wholes: Mapping[str, Callable[[str], bytes]],
    tmp_path: Path,
    family: Family,
    source: str,
) -> None:
    refused = 0
    for number, content in enumerate(_damaged(family, source, wholes[family.kind](source))):
        target = family.targets_of(source)[0]
        place = tmp_path / str(number)
        place.mkdir()
        outcome = cells.convert(
            spawner, family, content, source, target, place=place, options={}
        ).outcome
        assert isinstance(outcome, Converted | Refused), (content, outcome)
        if isinstance(outcome, Refused):
            refused += 1
            assert is_ours(outcome.detail), outcome.detail
    assert refused >= 1


def test_no_refusal_quotes_what_a_library_or_a_program_said() -> None:
    assert list(quotations()) == []


def test_a_quotation_would_be_noticed() -> None:
    said = "couldn't unpack docx container: Did not find end of central directory signature"

    assert is_ours("The document is damaged: its structure makes no sense.")
    assert not is_ours(f"The document is damaged: {said}")
    assert not is_ours(None)


def test_what_a_library_raised_is_told_to_operators_only() -> None:
    refusal = Refusal("corrupt_input", "The file is damaged.")
    refusal.__cause__ = ValueError("bad magic 0x7f")

    assert refusal.outcome == Refused("corrupt_input", "The file is damaged.")
    assert refusal.outcome.log == "ValueError: bad magic 0x7f"


def test_what_a_program_printed_is_told_to_operators_only(spawner: Spawner, tmp_path: Path) -> None:
    empty = archive({"a.txt": "nothing"})

    refused = cells.convert(
        spawner, DOCUMENT, empty, "docx", "html", place=tmp_path, options={}
    ).refused

    assert refused.detail == "The document is damaged: its structure makes no sense."
    assert "docx" in refused.log


class Bare(Options):
    """Options of which nobody wrote what they must be."""

    speed: int = 1


@pytest.mark.parametrize(
    ("options", "given", "said"),
    [
        (TableOptions, {"types": "all"}, "types must be text or auto, not 'all'."),
        (Bare, {"haste": 1}, "'haste' is not an option of this conversion. The options are speed."),
        (Bare, {"speed": "a secret"}, "The options do not fit this conversion."),
    ],
)
def test_options_that_do_not_fit_are_refused_in_our_own_words(
    options: type[Options], given: dict[str, object], said: str
) -> None:
    with pytest.raises(Refusal) as refusal:
        wish_of(given, options)
    assert refusal.value.outcome == Refused("bad_options", said)
    assert refusal.value.outcome.log == ""


def _damaged(family: Family, source: str, whole: bytes) -> Iterator[bytes]:
    chance = random.Random(f"{family.kind} {source}")
    half = len(whole) // 2
    yield whole[:half]
    yield whole[:half] + chance.randbytes(60) + whole[half + 60 :]
    yield chance.randbytes(500)
    yield from (content for one, content in SPEAKING.get(family.kind, []) if one == source)


def _office(source: str) -> bytes:
    """Old formats are damaged whatever is done to these bytes."""
    if source in OLD or source == "encrypted-office":
        return compound({"Contents": b"geese" * 1000})
    return office.sample(source)


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()
