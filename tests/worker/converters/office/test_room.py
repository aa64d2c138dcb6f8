"""Where there is no room, LibreOffice leaves something out and says that all went well."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.worker.converters.office.conftest import Converting
from worker.converters.office import result, room

Sample = Callable[[str], bytes]


@pytest.mark.parametrize(
    ("source", "target"),
    [("docx", "pdf"), ("docx", "doc"), ("docx", "rtf"), ("docx", "odt"), ("xlsx", "xls")],
)
def test_a_result_without_its_end_is_none(
    converting: Converting, sample: Sample, source: str, target: str, tmp_path: Path
) -> None:
    whole = converting(sample(source), source, target).path.read_bytes()
    made = tmp_path / "made"
    made.write_bytes(whole)
    result.look(made, target, max_pages=100)
    for length in (len(whole) * 3 // 4, len(whole) // 2, 600):
        made.write_bytes(whole[:length])
        with pytest.raises(result.BadResult):
            result.look(made, target, max_pages=100)

    short = converting(sample(source), source, target, file_bytes=len(whole) * 3 // 4)
    assert short.broken.code == "result_too_large"


def test_a_full_disk_is_noticed_afterwards() -> None:
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        room.check_written(Path("/proc/version"))  # where nothing is free
