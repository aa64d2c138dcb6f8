"""What the machine can do is tried, and its own troubles are no fault of the document."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.formats.document import DOCUMENT
from tests.worker.converters import cells
from tests.worker.converters.document.conftest import Converting
from worker.converters.document import convert
from worker.converters.limits import Limits
from worker.outcome import Broken, Converted
from worker.spawner.client import Spawner

ROOT = Path(__file__).parents[4]


def test_importing_starts_no_thread_and_no_program() -> None:
    code = (
        f"import os, sys\nsys.path.insert(0, {str(ROOT)!r})\nimport worker.converters.document\n"
        "children = open('/proc/self/task/%d/children' % os.getpid()).read()\n"
        "print(len(os.listdir('/proc/self/task')), children or 'none')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.split() == ["1", "none"]


def test_the_trial_finds_every_pair_possible_here(spawner: Spawner, tmp_path: Path) -> None:
    outcome = cells.tried(spawner, DOCUMENT, tmp_path)

    assert isinstance(outcome, Converted), outcome
    found = {
        (source, target): reason
        for source, targets in outcome.facts["pairs"].items()
        for target, reason in targets.items()
    }
    assert found == dict.fromkeys(DOCUMENT.pairs)


def test_progress_never_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the pages have to be set a second time."""
    monkeypatch.chdir(tmp_path)
    Path("input.md").write_text("[to code](#c)\n\n``` {#c}\ncode\n```\n")
    told: list[tuple[float, str]] = []

    convert(
        Path("input.md"),
        Path("output.pdf"),
        source_format="md",
        target_format="pdf",
        options={},
        limits=Limits(),
        progress=lambda value, stage: told.append((value, stage)),
    )

    values = [value for value, _ in told]
    assert [stage for _, stage in told].count("typesetting") >= 4
    assert values == sorted(values)
    assert values[-1] == 0.99


def test_too_little_memory_is_said_with_the_number(converting: Converting) -> None:
    text = "".join(f"# {n}\n\n*a* [b](#{n})\n\n" for n in range(12_000))

    refused = converting(text, "md", "docx", memory_bytes=512 * 1024**2).refused

    assert refused.code == "memory_limit"
    assert f"{len(text):,} bytes" in str(refused.detail)
    assert "ROWMILL_MEMORY_LIMIT_BYTES" in str(refused.detail)


def test_a_result_without_room_is_no_fault_of_the_document(converting: Converting) -> None:
    outcome = converting("text\n", "md", "docx", file_bytes=9_000).outcome

    assert isinstance(outcome, Broken), outcome
    assert outcome.code == "result_too_large"
