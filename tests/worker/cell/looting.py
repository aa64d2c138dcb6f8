"""What others have beside a cell, how a file may ask for it, and whether any of it came out."""

import base64
import io
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pypdfium2
from PIL import Image

from app.formats.catalogue import family_of_kind
from app.formats.family import Family
from tests import samples
from tests.site import RED
from tests.worker.cell.probing import house_of, spawner_of, task_of
from worker.outcome import Outcome
from worker.spawner.client import Spawner

MARKER = "MARKER-of-somebody-else"
OTHERS = ("red.png", "text.txt")


@contextmanager
def spawner_for(*kinds: str) -> Iterator[Spawner]:
    """Yield a spawner with the converters of these families."""
    with spawner_of(os.getuid(), *(_family(kind).convert for kind in kinds)) as spawner:
        yield spawner


@contextmanager
def beside_others() -> Iterator[Path]:
    """Yield a scratch folder; what somebody else has lies in a folder beside it."""
    with house_of(os.getuid()) as scratch:
        (others_of(scratch) / "red.png").write_bytes(RED)
        (others_of(scratch) / "text.txt").write_text(MARKER)
        yield scratch


def others_of(scratch: Path) -> Path:
    return scratch.parents[1] / "data"


def ways_to(scratch: Path, address: str) -> list[str]:
    """Return how a file may name what others have: in full, from here, by the web."""
    others = others_of(scratch)
    starts = (others.as_uri(), str(others), "../../data")
    return [*(f"{start}/{name}" for start in starts for name in OTHERS), address]


def outside_of(scratch: Path) -> dict[Path, bytes]:
    """Return every file of the house that is not in the scratch folder, with its content."""
    files = (path for path in scratch.parents[1].rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if scratch not in path.parents}


def convert(
    spawner: Spawner, scratch: Path, content: bytes, source: str, target: str, kind: str
) -> Outcome:
    """Convert by the family of this kind, in a cell; the result lies in the scratch folder."""
    family = _family(kind)
    stored, link = others_of(scratch) / "source", scratch / f"input.{source}"
    stored.write_bytes(content)
    link.unlink(missing_ok=True)
    link.symlink_to(stored)
    task = task_of(
        scratch,
        family.convert,
        source=f"input.{source}",
        target=f"output.{target}",
        source_format=source,
        target_format=target,
        needs=family.needs,
        memory_bytes=2 * 1024**3,
        file_bytes=1024**3,
    )
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
        return cell.outcome()


def loot(content: bytes) -> set[str]:
    """Return what of others is in a file."""
    found = set()
    for piece in _pieces(content):
        if any(form in piece for form in (RED, base64.b64encode(RED))) or _is_red(piece):
            found.add("picture")
        if MARKER.encode() in piece:
            found.add("text")
    return found


def names_in(content: bytes) -> Sequence[str]:
    """Return the names in a ZIP, none for what is no ZIP."""
    if not content.startswith(b"PK"):
        return []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.namelist()


def _family(kind: str) -> Family:
    family = family_of_kind(kind)
    assert family is not None
    return family


def _pieces(content: bytes) -> Iterator[bytes]:
    yield content
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from map(archive.read, archive.namelist())
    if content.startswith(b"%PDF"):
        with pypdfium2.PdfDocument(content) as document:
            for page in document:
                yield page.get_textpage().get_text_range().encode()
                yield samples.encoded(page.render(scale=1).to_pil().convert("RGB"), "png")


def _is_red(piece: bytes) -> bool:
    """Tell whether a picture shows the red of others: a frame of red is LibreOffice's own."""
    if not piece.startswith(b"\x89PNG"):
        return False
    with Image.open(io.BytesIO(piece)) as opened:
        clear = opened.convert("RGB").point(lambda value: 255 * (value > 150))
    return any(count > 999 and colour == (255, 0, 0) for count, colour in clear.getcolors() or [])
