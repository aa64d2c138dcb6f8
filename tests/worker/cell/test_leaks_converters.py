"""Files that ask a converter for what others have get none of it, and their own words come out.

Each goes through the family that converts its format, in a real cell.
"""

import base64
import io
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from app.formats.catalogue import family_of_kind
from tests import samples
from tests.site import RED, Site, served
from tests.worker.cell.probing import house_of, spawner_of, task_of
from tests.worker.converters.document import packages, reader
from tests.worker.converters.office import documents as office
from tests.worker.converters.office import hostile
from tests.worker.converters.office.documents import WORDS
from worker.outcome import Converted, Outcome, Refused
from worker.spawner.client import Spawner

KINDS = ("media", "document", "office")
MARKER = "MARKER-of-somebody-else"
OTHERS = ("red.png", "text.txt")
Maker = Callable[[Sequence[str]], bytes]


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        yield site


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    families = [family for kind in KINDS if (family := family_of_kind(kind))]
    with spawner_of(os.getuid(), *(family.convert for family in families)) as spawner:
        yield spawner


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A scratch folder; what somebody else has lies in a folder beside it."""
    with house_of(os.getuid()) as scratch:
        (scratch.parents[1] / "data" / "red.png").write_bytes(RED)
        (scratch.parents[1] / "data" / "text.txt").write_text(MARKER)
        yield scratch


def repeated(piece: str, *, within: str) -> Maker:
    """Return a maker of a text with this piece for each address, within another."""
    return lambda ways: within.replace(
        "@@", "".join(piece.replace("@", way) for way in ways)
    ).encode()


def drawing(ways: Sequence[str]) -> bytes:
    shown = "".join(f'<image xlink:href="{way}" width="64" height="64"/>' for way in ways)
    space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {space} width="64" height="64">{shown}</svg>'.encode()


def epub_asking(ways: Sequence[str]) -> bytes:
    entity = f'<!DOCTYPE html [<!ENTITY e SYSTEM "{ways[0]}">]>'
    page = "".join(f'<img src="{way}"/><iframe src="{way}"></iframe>' for way in ways)
    head = f'<head><title>t</title><link rel="stylesheet" href="{ways[0]}"/></head>'
    body = f"{head}<body><p>{WORDS} &e;</p>{page}</body></html>"
    start = f'<?xml version="1.0"?>{entity}<html xmlns="http://www.w3.org/1999/xhtml">'
    return packages.epub({"OEBPS/c.xhtml": start + body})


def odt_framing(what: str, *, its_own: bool = False) -> Maker:
    """Return a maker of a text that shows things as this, or a drawing of its own that does."""
    frame = (
        '<text:p><draw:frame svg:width="3cm" svg:height="3cm" text:anchor-type="as-char">'
        f'<draw:{what} xlink:href="@" xlink:type="simple" xlink:actuate="onLoad"/></draw:frame>'
        "</text:p>"
    )

    def make(ways: Sequence[str]) -> bytes:
        shown = "".join(frame.replace("@", way) for way in ways)
        shown = frame.replace("@", "Pictures/a.svg") if its_own else shown
        body = f"<office:text><text:p>{WORDS}</text:p>{shown}</office:text>"
        return office.zipped(office.odf_parts("text", body) | {"Pictures/a.svg": drawing(ways)})

    return make


HTML = repeated(
    '<link rel="stylesheet" href="@"><script src="@"></script><style>@import url("@");</style>'
    '<p style="background: url(@)">p</p><img src="@" srcset="@ 2x"><iframe src="@"></iframe>'
    '<object data="@"></object><embed src="@"><video src="@" poster="@"></video>'
    '<audio src="@"></audio><svg width="9" height="9"><image href="@"/></svg>',
    within=f"<html><head><title>t</title></head><body><p>{WORDS}</p>@@</body></html>",
)
MD = repeated("\n\n![x](@)", within=f"{WORDS} @@\n")
RST = repeated("\n\n.. include:: @\n\n.. image:: @", within=f"{WORDS}@@\n")
ORG = repeated('\n\n#+INCLUDE: "@"\n\n[[@]]', within=f"{WORDS}@@\n")
TEX = repeated(
    r" \input{@} \includegraphics{@} \verbatiminput{@}",
    within=rf"\documentclass{{article}}\begin{{document}}{WORDS}@@\end{{document}}",
)
LURES: dict[str, tuple[Maker, str, str, str]] = {  # what is made, its format, the target, by whom
    "md": (MD, "md", "html", "document"),
    "rst": (RST, "rst", "docx", "document"),
    "org": (ORG, "org", "epub", "document"),
    "tex": (TEX, "tex", "docx", "document"),
    "html to docx": (HTML, "html", "docx", "document"),
    "html to pdf": (HTML, "html", "pdf", "document"),
    "epub": (epub_asking, "epub", "html", "document"),
    "odt": (odt_framing("image"), "odt", "html", "document"),
    "office, docx": (lambda ways: hostile.docx_showing(ways[0]), "docx", "pdf", "office"),
    "office, docx, web": (lambda ways: hostile.docx_showing(ways[-1]), "docx", "pdf", "office"),
    "office, odt": (odt_framing("image"), "odt", "pdf", "office"),
    "office, odt, object": (odt_framing("object"), "odt", "pdf", "office"),
    "office, odt, drawing": (odt_framing("image", its_own=True), "odt", "pdf", "office"),
    "office, rtf": (lambda ways: hostile.rtf_including(ways[0]), "rtf", "pdf", "office"),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.office] if kind == "office" else [])
        for name, (_, _, _, kind) in LURES.items()
    ],
)
def test_nothing_of_others_comes_out(
    spawner: Spawner, scratch: Path, site: Site, name: str
) -> None:
    make, source, target, kind = LURES[name]
    outcome = convert(spawner, scratch, make(ways_to(scratch, site.address)), source, target, kind)
    assert isinstance(outcome, Converted), outcome
    made = (scratch / f"output.{target}").read_bytes()
    assert loot(made) == set()
    assert site.asked == []
    assert WORDS in reader.text_of(made, target)


def ways_to(scratch: Path, address: str) -> list[str]:
    """Return how a file may name what others have: in full, from here, by the web."""
    others = scratch.parents[1] / "data"
    starts = (others.as_uri(), str(others), "../../data")
    return [*(f"{start}/{name}" for start in starts for name in OTHERS), address]


LISTS = {
    "playlist": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n@\n#EXT-X-ENDLIST\n",
    "concat": "ffconcat version 1.0\nfile @\n",
    "session": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nu=@\nt=0 0\nm=video 9 RTP/AVP 96\n",
    "manifest": '<?xml version="1.0"?><MPD><Period><BaseURL>@</BaseURL></Period></MPD>',
}


@pytest.mark.parametrize("source", ["mp4", "ts", "mp3"])
@pytest.mark.parametrize("what", LISTS)
def test_a_list_of_addresses_is_no_recording(
    spawner: Spawner, scratch: Path, site: Site, what: str, source: str
) -> None:
    content = LISTS[what].replace("@", site.address).encode()
    assert isinstance(convert(spawner, scratch, content, source, "mp3", "media"), Refused)
    assert site.asked == []


@pytest.mark.parametrize("target", ["docx", "html", "epub", "odt", "pdf"])
def test_what_would_come_out_would_be_seen(spawner: Spawner, scratch: Path, target: str) -> None:
    content = f"{MARKER}\n\n![](data:image/png;base64,{base64.b64encode(RED).decode()})\n"
    convert(spawner, scratch, content.encode(), "md", target, "document")
    assert loot((scratch / f"output.{target}").read_bytes()) == {"picture", "text"}


def convert(
    spawner: Spawner, scratch: Path, content: bytes, source: str, target: str, kind: str
) -> Outcome:
    family = family_of_kind(kind)
    assert family is not None
    (scratch.parents[1] / "data" / "source").write_bytes(content)
    (scratch / "input.png").rename(scratch / f"input.{source}")
    formats = {"source_format": source, "target_format": target}
    names = {"source": f"input.{source}", "target": f"output.{target}"}
    more = {"needs": family.needs, "memory_bytes": 2 * 1024**3, "file_bytes": 1024**3}
    task = task_of(scratch, family.convert, **formats, **names, **more)
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
        return cell.outcome()


def loot(content: bytes) -> set[str]:
    """Return what of others is in a file."""
    found = set()
    for piece in pieces(content):
        if any(form in piece for form in (RED, base64.b64encode(RED))) or is_red(piece):
            found.add("picture")
        if MARKER.encode() in piece:
            found.add("text")
    return found


def pieces(content: bytes) -> Iterator[bytes]:
    yield content
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from map(archive.read, archive.namelist())
    if content.startswith(b"%PDF"):
        with pypdfium2.PdfDocument(content) as document:
            for page in document:
                yield page.get_textpage().get_text_range().encode()
                yield samples.encoded(page.render(scale=1).to_pil().convert("RGB"), "png")


def is_red(piece: bytes) -> bool:
    """Tell whether a picture shows the red of others."""
    if not piece.startswith(b"\x89PNG"):
        return False
    with Image.open(io.BytesIO(piece)) as opened:
        clear = opened.convert("RGB").point(lambda value: 255 * (value > 150))
    return any(count > 99 and colour == (255, 0, 0) for count, colour in clear.getcolors() or [])
