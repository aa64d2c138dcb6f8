"""Files that ask a converter for what others have get none of it, and their own words come out.

Each goes through the family that converts its format, in a real cell.
"""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.site import RED, Site, served
from tests.worker.cell.films import film
from tests.worker.cell.looting import (
    MARKER,
    beside_others,
    convert,
    loot,
    others_of,
    spawner_for,
    ways_to,
)
from tests.worker.cell.lures import LURES
from tests.worker.converters.document import reader
from tests.worker.converters.office import documents as office
from tests.worker.converters.office.documents import WORDS
from worker.outcome import Converted, Refused
from worker.spawner.client import Spawner


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_for("media", "document", "office", "pdf", "table") as spawner:
        yield spawner


@pytest.fixture
def scratch() -> Iterator[Path]:
    with beside_others() as scratch:
        yield scratch


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.office] if lure.kind == "office" else [])
        for name, lure in LURES.items()
    ],
)
def test_nothing_of_others_comes_out(
    spawner: Spawner, scratch: Path, site: Site, name: str
) -> None:
    lure = LURES[name]
    content = lure.make(ways_to(scratch, site.address))
    outcome = convert(spawner, scratch, content, lure.source, lure.target, lure.kind)
    assert isinstance(outcome, Converted), outcome
    made = (scratch / f"output.{lure.target}").read_bytes()
    assert loot(made) == set()
    assert site.asked == []
    assert WORDS in reader.text_of(made, lure.target)


LISTS = {
    "playlist": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n@\n#EXT-X-ENDLIST\n",
    "playlist of playlists": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n@\n",
    "playlist of itself": "#EXTM3U\n#EXTINF:1,\ninput.mp4\n#EXTINF:1,\ninput.ts\n#EXTINF:1,\n@\n",
    "concat": "ffconcat version 1.0\nfile @\n",
    "session": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nu=@\nt=0 0\nm=video 9 RTP/AVP 96\n",
    "manifest": '<?xml version="1.0"?><MPD><Period><BaseURL>@</BaseURL></Period></MPD>',
}


@pytest.mark.parametrize("source", ["mp4", "ts", "mp3"])
@pytest.mark.parametrize("what", LISTS)
def test_a_list_of_addresses_is_no_recording(
    spawner: Spawner, scratch: Path, site: Site, what: str, source: str
) -> None:
    for way in (f"{others_of(scratch)}/text.txt", site.address):
        content = LISTS[what].replace("@", way).encode()
        assert isinstance(convert(spawner, scratch, content, source, "mp3", "media"), Refused)
        assert not (scratch / "output.mp3").exists()
    assert site.asked == []


def test_a_film_whose_picture_is_in_another_file_is_refused(
    spawner: Spawner, scratch: Path
) -> None:
    elsewhere = film(RED, side=64, elsewhere=others_of(scratch) / "red.png")
    assert isinstance(convert(spawner, scratch, elsewhere, "mov", "png", "media"), Refused)
    assert not (scratch / "output.png").exists()
    green = film(samples.encoded(Image.new("RGB", (64, 64), "lime"), "png"), side=64)
    assert isinstance(convert(spawner, scratch, green, "mov", "png", "media"), Converted)
    with Image.open(scratch / "output.png") as made:
        assert made.convert("RGB").getpixel((9, 9)) == (0, 255, 0)


XML = {"xlsx": "xl/worksheets/sheet1.xml", "ods": "content.xml"}


@pytest.mark.parametrize("source", XML)
def test_an_entity_of_a_workbook_brings_nothing(
    spawner: Spawner, scratch: Path, source: str
) -> None:
    """Refused as such: no workbook declares any."""
    parts = office.parts_of(source)
    entity = f'?><!DOCTYPE x [<!ENTITY e SYSTEM "{others_of(scratch).as_uri()}/text.txt">]>'
    text = str(parts[XML[source]])
    parts[XML[source]] = text.replace("?>", entity, 1).replace(WORDS, f"{WORDS} &e;")
    outcome = convert(spawner, scratch, office.zipped(parts), source, "csv", "table")
    assert isinstance(outcome, Refused), outcome
    assert not (scratch / "output.csv").exists()
    plain = convert(spawner, scratch, office.sample(source), source, "csv", "table")
    assert isinstance(plain, Converted), plain
    assert WORDS in (scratch / "output.csv").read_text()


@pytest.mark.parametrize("target", ["docx", "html", "epub", "odt", "pdf"])
def test_what_would_come_out_would_be_seen(spawner: Spawner, scratch: Path, target: str) -> None:
    content = f"{MARKER}\n\n![](data:image/png;base64,{base64.b64encode(RED).decode()})\n"
    convert(spawner, scratch, content.encode(), "md", target, "document")
    assert loot((scratch / f"output.{target}").read_bytes()) == {"picture", "text"}
