"""A result for which there is not room enough is an error, never a result without its end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.formats.document import DOCUMENT
from app.formats.family import Family
from app.formats.media import MEDIA
from app.formats.pdf import PDF
from app.formats.table import TABLE
from tests.worker.converters import cells
from tests.worker.converters.media.studio import Studio
from tests.worker.converters.pdf import documents
from tests.worker.converters.table.workbooks import xlsx
from worker.spawner.client import Spawner

FAMILIES = (TABLE, PDF, DOCUMENT, MEDIA)
ROWS = "".join(f"{number},{number * 7919 % 10_007},goose {number}\n" for number in range(3000))
WORDS = "# Geese\n\n" + "".join(f"{number} geese *fly* south.\n\n" for number in range(300))
SHEETS: list[list[list[Any]]] = [[["number", "goose"], [year, "grey"]] for year in (2024, 2025)]
CASES = [
    *((TABLE, "csv", target) for target in TABLE.targets),
    (TABLE, "xlsx", "csv"),
    *((PDF, "pdf", target) for target in PDF.targets_of("pdf")),
    *((DOCUMENT, "md", target) for target in ("html", "docx", "odt", "epub", "rtf", "txt", "pdf")),
    *((MEDIA, "wav", target) for target in ("mp3", "m4a", "ogg", "flac", "wav")),
    *((MEDIA, "mp4", target) for target in ("mov", "mkv", "gif", "jpg")),
]


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    spawner = Spawner(converters=[family.convert for family in FAMILIES])
    spawner.start()
    yield spawner
    spawner.stop()


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    studio = Studio(tmp_path_factory.mktemp("studio"))
    return {
        "csv": f"a,b,c\n{ROWS}".encode(),
        "xlsx": xlsx(*SHEETS),
        "pdf": documents.document(*(f"page {number}" for number in range(3))),
        "md": WORDS.encode(),
        "wav": studio.sample("wav").read_bytes(),
        "mp4": studio.sample("mp4").read_bytes(),
    }


@pytest.mark.parametrize(
    ("family", "source", "target"),
    CASES,
    ids=[f"{family.kind}-{source}-{target}" for family, source, target in CASES],
)
def test_a_result_that_lacks_a_byte_of_room_is_an_error(
    spawner: Spawner,
    contents: dict[str, bytes],
    tmp_path: Path,
    family: Family,
    source: str,
    target: str,
) -> None:
    places = [tmp_path / name for name in ("whole", "short")]
    for place in places:
        place.mkdir()
    content = contents[source]
    made = cells.convert(spawner, family, content, source, target, place=places[0], options={})
    room = made.path.stat().st_size - 1
    short = cells.convert(
        spawner, family, content, source, target, place=places[1], options={}, file_bytes=room
    )
    assert short.broken.code == "result_too_large", short
