"""What LibreOffice starts by itself for a picture in PostScript, a cell does not let it start.

Ghostscript's own sandbox had a way out for whoever could have it read a file: CVE-2024-29510.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.formats.family import Needs
from app.formats.office import OFFICE
from tests.worker.cell.looting import beside_others, others_of
from tests.worker.cell.lures import LURES
from tests.worker.cell.probing import PYTHON_PATH, spawner_of, task_of
from tests.worker.converters.document import reader
from tests.worker.converters.office.documents import WORDS
from worker.outcome import Converted

pytestmark = pytest.mark.office

ROOT = Path(__file__).parents[3]
BAITED = "rowmill_baited:convert"
PROGRAMS = ("convert", "gs", "pstoedit")
OUTSIDE = """
import os, sys
from pathlib import Path
import rowmill_baited
from worker.converters.limits import Limits
rowmill_baited.convert(
    Path("input.odt"), Path("output.pdf"), options={"programs": sys.argv[1]}, source_format="odt",
    target_format="pdf", limits=Limits(), progress=lambda *_: None)
os._exit(0)
"""


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A scratch folder with a text that shows PostScript, and programs beside it."""
    with beside_others() as scratch:
        (others_of(scratch) / "source").write_bytes(LURES["office, odt, PostScript"].make(["/a"]))
        (scratch / "input.png").rename(scratch / "input.odt")
        programs_of(scratch).mkdir()
        for name in PROGRAMS:
            program = programs_of(scratch) / name
            program.write_text('#!/bin/sh\necho "${0##*/}" >> "$HOME/started"\n')
            program.chmod(0o755)
        yield scratch


def programs_of(scratch: Path) -> Path:
    return scratch.parents[1] / "bin"


def started(scratch: Path) -> set[str]:
    noted = scratch / "started"
    return set(noted.read_text().split()) if noted.exists() else set()


def test_outside_of_a_cell_all_of_them_are_started(scratch: Path) -> None:
    """So that the test below is known to see it."""
    home = {"HOME": str(scratch), "TMPDIR": str(scratch), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [sys.executable, "-c", OUTSIDE, str(programs_of(scratch))],
        cwd=scratch,
        env=home | {"PYTHONPATH": os.pathsep.join([str(ROOT), *PYTHON_PATH])},
        check=True,
        timeout=100,
    )
    assert started(scratch) == set(PROGRAMS)


def test_in_a_cell_none_is_started_and_the_text_is_converted(scratch: Path) -> None:
    task = task_of(
        scratch,
        BAITED,
        source="input.odt",
        target="output.pdf",
        source_format="odt",
        target_format="pdf",
        options={"programs": str(programs_of(scratch))},
        needs=Needs(reads=(*OFFICE.needs.reads, str(programs_of(scratch)))),
        memory_bytes=2 * 1024**3,
        file_bytes=1024**3,
    )
    with spawner_of(os.getuid(), BAITED) as spawner, spawner.cell(task) as cell:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted), cell.outcome()
    assert started(scratch) == set()
    assert WORDS in reader.text_of((scratch / "output.pdf").read_bytes(), "pdf")
