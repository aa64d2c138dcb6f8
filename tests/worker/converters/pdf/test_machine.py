"""What the spawner needs: importing starts nothing, and what PDFium set up survives a fork."""

import subprocess
import sys
from pathlib import Path

from app.formats.pdf import PDF
from tests.worker.converters.pdf import documents
from tests.worker.converters.pdf.conftest import Converting

ROOT = Path(__file__).parents[4]


def test_importing_starts_no_thread() -> None:
    """The spawner forks after it; a second thread would make every cell a gamble."""
    code = (
        f"import sys, os; sys.path.insert(0, {str(ROOT)!r}); import worker.converters.pdf\n"
        "print(len(os.listdir('/proc/self/task')), 'pikepdf' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stdout.split() == ["1", "True"]


def test_one_spawner_makes_any_number_of_cells(converting: Converting) -> None:
    content = documents.form()

    made = {converting(content, "png").path.read_bytes() for _ in range(5)}

    assert len(made) == 1


def test_a_family_needs_no_programs() -> None:
    assert PDF.needs.programs == 0
    assert PDF.options.secret == {"password"}


def test_hundreds_of_pages_take_no_more_memory_than_a_few(converting: Converting) -> None:
    content = documents.document(*(f"page {number}" for number in range(300)), box="0 0 700 700")

    result = converting(content, "jpg", dpi=100, memory_bytes=500 * 1024**2)

    assert len(result.images) == 300
