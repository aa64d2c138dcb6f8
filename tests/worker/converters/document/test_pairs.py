"""Every pair that GET /formats lists really converts, and keeps what the document says."""

import io
import re
import zipfile

import pytest

from app.formats.document import DOCUMENT
from app.formats.recognise import recognise
from tests.worker.converters.document import packages
from tests.worker.converters.document.conftest import Converting
from tests.worker.converters.document.documents import ILLUSTRATED, SAMPLES, WITH_FORMULA
from tests.worker.converters.document.reader import document_in_zip, pictures_in, text_of
from tests.worker.converters.document.words import CELLS, HEADING, NOTE, WORDS, png

# What a heading looks like where it is more than large letters; PDF and plain text have only those.
HEADINGS = {
    "md": rb"^# Chapter One",
    "html": rb"<h1[^>]*>Chapter One</h1>",
    "rst": rb"Chapter One\n=====",
    "org": rb"^\* Chapter One",
    "tex": rb"\\section\{Chapter One\}",
    "ipynb": rb'"# Chapter One',
    "rtf": rb"\\outlinelevel0[^}]*Chapter One",
}
TABLES = {
    "md": r"\| left-cell +\| right-cell +\|",
    "html": r"<td[^>]*>(<p>)?left-cell(</p>)?</td>\s*<td[^>]*>(<p>)?right-cell",
    "rst": r"left-cell +\|? ?right-cell",
    "org": r"\| left-cell +\| right-cell +\|",
    "tex": r"left-cell & right-cell",
    "rtf": r"left-cell[^\\]*(\\par\s*)?\}*\s*\\cell",
}
FORMULAS = {
    "md": rb"\$x\^",
    "html": rb"<math[^>]*>",
    "docx": rb"<m:sSup>",
    "rst": rb":math:`x\^",
    "org": rb"\\\(x\^|\$x\^",
    "tex": rb"\\\(x\^",
    "ipynb": rb"\$x\^",
    "epub": rb"<math[^>]*>",
}


@pytest.mark.parametrize(("source", "target"), sorted(DOCUMENT.pairs))
def test_every_pair_keeps_text_headings_tables_and_pictures(
    converting: Converting, source: str, target: str
) -> None:
    result = converting(SAMPLES[source], source, target)
    content, text = result.content, text_of(result.content, target)

    assert HEADING in text
    assert NOTE in text
    assert all(cell in text for cell in CELLS)
    assert WORDS in text or (target == "pdf" and _without_chinese(WORDS, text))
    if source in ILLUSTRATED:
        assert result.facts["pictures"] == 1
        assert pictures_in(content, target) == (0 if target == "txt" else 1)
    if source in WITH_FORMULA and target in FORMULAS:
        assert re.search(FORMULAS[target], _raw(content, target)), _raw(content, target)
    if source != "txt":
        _check_structure(content, target, source)
        assert result.facts["headings"] == (2 if source == "rst" else 1)
        assert result.facts["tables"] == 1


@pytest.mark.parametrize("target", DOCUMENT.targets)
def test_results_are_what_their_names_say(converting: Converting, target: str) -> None:
    source = "org" if target != "org" else "rst"  # these two bring no pictures

    content = converting(SAMPLES[source], source, target).content

    found = recognise(content[: 1024**2], content[-64 * 1024 :], size=len(content))
    assert found == target or target in ("md", "org", "rst", "tex", "txt")


@pytest.mark.parametrize("target", ["md", "rst", "org", "tex"])
def test_a_text_with_pictures_becomes_a_zip_of_both(converting: Converting, target: str) -> None:
    result = converting(SAMPLES["docx"], "docx", target)

    text, pictures = document_in_zip(result.content)
    ((name, content),) = pictures.items()

    assert name in text
    assert content == png()
    assert result.outcome.format == "zip"  # type: ignore[union-attr]
    assert "the result is a ZIP" in result.notes


@pytest.mark.parametrize("name", ["../../../evil.png", "/evil.png", "a/../../../evil.png"])
def test_pictures_stay_in_their_folder_whatever_they_are_called(
    converting: Converting, name: str
) -> None:
    book = packages.epub(
        {
            "OEBPS/content.opf": packages.OPF.replace("images/a.png", name),
            "OEBPS/c.xhtml": f'<html><body><p>text</p><img src="{name}"/></body></html>',
            f"OEBPS/{name}": png(),
        }
    )

    result = converting(book, "epub", "md")
    made = {one.name for one in result.path.parent.iterdir()}

    assert "text" in text_of(result.content, "md")
    assert "evil.png" not in made
    if result.content.startswith(b"PK"):
        names = document_in_zip(result.content)[1]
        assert all(one.startswith("media/") and ".." not in one for one in names)


def test_stages_are_told_in_their_order(converting: Converting) -> None:
    text = "".join(f"# {n}\n\n*some* text with `code`\n\n" for n in range(3_000))

    told = converting(text, "md", "pdf").told
    values = [value for value, _ in told]
    stages = list(dict.fromkeys(stage for _, stage in told if stage))

    assert values == sorted(values)
    assert len(set(values)) >= 5
    assert stages[-3:] == ["converting", "typesetting", "finishing"]


def _check_structure(content: bytes, target: str, source: str) -> None:
    raw = _raw(content, target)
    if target in HEADINGS:
        assert re.search(HEADINGS[target], raw, re.MULTILINE), raw
    if target in TABLES:
        assert re.search(TABLES[target], raw.decode()), raw
    if target == "docx":
        assert b'w:val="Heading1"' in raw
        assert b"<w:tbl>" in raw
    if target == "odt":
        assert b"<text:h" in raw
        assert b"<table:table-cell" in raw
    if target == "epub":
        assert re.search(rb"<h1[^>]*>Chapter One</h1>", raw)
        assert b"<td" in raw


def _raw(content: bytes, target: str) -> bytes:
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        ends = (".xml", ".xhtml") if target in ("docx", "odt", "epub") else (f".{target}",)
        return b"\n".join(packed.read(n) for n in packed.namelist() if n.endswith(ends))


def _without_chinese(words: str, text: str) -> bool:
    """A machine without a Chinese font shows boxes, and what a box meant is not in every PDF."""
    return all(part in text for part in words.split() if not "一" <= part[0] <= "鿿")
