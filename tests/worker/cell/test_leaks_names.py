"""A name inside of a file is no path: nothing is written, or read, where it would lead.

CVE-2023-35936 and CVE-2023-38745: pandoc wrote pictures outside of the folder that was given for
them, by names in which the dots and slashes were encoded.
"""

import base64
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests import samples
from tests.worker.cell.looting import (
    beside_others,
    convert,
    loot,
    names_in,
    others_of,
    outside_of,
    spawner_for,
)
from tests.worker.converters.document import packages, reader
from tests.worker.converters.document.words import WORDS
from tests.worker.converters.office import documents as office
from worker.outcome import Converted
from worker.spawner.client import Spawner

FINE, ABSOLUTE = "fine.png", "/tmp/rowmill-x.png"
NAMES = (
    FINE,
    "../x.png",
    "../../data/red.png",
    "a/../../../data/text.txt",
    ABSOLUTE,
    "%2e%2e%2fx.png",
    "..%252f..%252fx.png",
    "..\\..\\x.png",
)
PICTURES = {
    name: samples.encoded(Image.new("RGB", (12 + at, 8), "lime"), "png")  # each is another
    for at, name in enumerate(NAMES)
}


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_for("document", "office", "table") as spawner:
        yield spawner


@pytest.fixture
def scratch() -> Iterator[Path]:
    with beside_others() as scratch:
        yield scratch


def members_of(package: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def multiplied(part: bytes | str, pattern: str, old: str, new: str) -> str:
    """Repeat the piece of this pattern for each picture: `new` has its number, or its name."""
    text = part.decode() if isinstance(part, bytes) else part
    [piece] = re.findall(pattern, text, re.DOTALL)
    pieces = (piece.replace(old, new.format(*one)) for one in enumerate(NAMES, start=50))
    return text.replace(piece, "".join(pieces))


def beneath(folder: str) -> Mapping[str, bytes]:
    return {folder + name: content for name, content in PICTURES.items()}


_DRAWING = "<w:r><w:drawing>.*?</w:drawing></w:r>"


def docx() -> bytes:
    parts = members_of(packages.docx())
    body = multiplied(parts["word/document.xml"], _DRAWING, "rId9", "rId{0}")
    relation = (r'<Relationship Id="rId9"[^>]*>', "rId9", "rId{0}")
    relations = multiplied(parts["word/_rels/document.xml.rels"], *relation)
    for name in NAMES:
        relations = relations.replace('"media/image1.png"', f'"media/{name}"', 1)
    changed = {"word/document.xml": body, "word/_rels/document.xml.rels": relations}
    return packages.docx({**changed, **beneath("word/media/")})


def odt() -> bytes:
    text = members_of(packages.odt())["content.xml"]
    frames = multiplied(text, "<draw:frame.*?</draw:frame>", "Pictures/a.png", "Pictures/{1}")
    return packages.odt({"content.xml": frames, **beneath("Pictures/")})


def epub() -> bytes:
    page = members_of(packages.epub())["OEBPS/c.xhtml"]
    shown = multiplied(page, "<img[^>]*>", "images/a.png", "{1}")
    listed = multiplied(packages.OPF, '<item id="p"[^>]*>', "images/a.png", "{1}")
    pages = {"OEBPS/c.xhtml": shown, "OEBPS/content.opf": listed}
    return packages.epub({**pages, **beneath("OEBPS/")})


def ipynb() -> bytes:
    attached = {name: {"image/png": base64.b64encode(PICTURES[name]).decode()} for name in NAMES}
    shown = " ".join(f"![]({'attachment:' + name})" for name in NAMES)
    cell = {"cell_type": "markdown", "id": "a", "metadata": {}, "attachments": attached}
    book = {"metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({**book, "cells": [{**cell, "source": f"{WORDS} {shown}"}]}).encode()


def md() -> bytes:
    held = base64.b64encode(PICTURES[FINE]).decode()
    uris = [f"data:image/png;base64,{held}"]
    uris += [f"data:image/png;base64,{held};.lua+{name}" for name in NAMES]
    uris += [f"data://image/png;base64,{held};.lua+{name}" for name in NAMES]
    return f"{WORDS}\n\n{' '.join(f'![]({uri})' for uri in uris)}\n".encode()


DOCUMENTS = {"docx": docx, "odt": odt, "epub": epub, "ipynb": ipynb, "md": md}


@pytest.mark.parametrize("target", ["rst", "pdf"])
@pytest.mark.parametrize("source", DOCUMENTS)
def test_pictures_lead_nowhere_whatever_they_are_called(
    spawner: Spawner, scratch: Path, source: str, target: str
) -> None:
    made = converted(spawner, scratch, DOCUMENTS[source](), source, target, "document")
    assert WORDS.split()[0] in reader.text_of(made, target)
    assert reader.pictures_in(made, target) >= 1
    assert all(name.startswith(("document.", "media/")) for name in names_in(made))
    assert not any(".." in name or "\\" in name for name in names_in(made))


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        pytest.param("docx", "pdf", "office", marks=pytest.mark.office),
        pytest.param("odt", "pdf", "office", marks=pytest.mark.office),
        ("xlsx", "csv", "table"),
        ("ods", "csv", "table"),
    ],
)
def test_parts_lead_nowhere_whatever_they_are_called(
    spawner: Spawner, scratch: Path, source: str, target: str, kind: str
) -> None:
    """LibreOffice opens no Word document that has a part with a backslash in its name."""
    parts = {name: part for name, part in beneath("").items() if "\\" not in name}
    content = office.zipped({**office.parts_of(source), **parts})
    made = converted(spawner, scratch, content, source, target, kind)
    assert office.WORDS in reader.text_of(made, target)


def converted(
    spawner: Spawner, scratch: Path, content: bytes, source: str, target: str, kind: str
) -> bytes:
    """Return the result, which has nothing of others; nothing of theirs was changed either."""
    (others_of(scratch) / "source").write_bytes(content)
    before = outside_of(scratch)
    outcome = convert(spawner, scratch, content, source, target, kind)
    assert isinstance(outcome, Converted), outcome
    assert outside_of(scratch) == before
    assert not Path(ABSOLUTE).exists()
    made = (scratch / f"output.{target}").read_bytes()
    assert loot(made) == set()
    return made
