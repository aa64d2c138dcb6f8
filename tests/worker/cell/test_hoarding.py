"""A cell that fills the disk with files, each within its limit, is ended from outside."""

import os

from app.settings import Settings
from tests.worker.cell.probing import house_of, spawner_of, task_of
from worker import attempt
from worker.outcome import Broken

HOARD = "rowmill_hoard:convert"


def test_a_cell_that_takes_too_much_room_is_ended() -> None:
    with house_of(os.getuid()) as scratch, spawner_of(os.getuid(), HOARD) as spawner:
        task = task_of(scratch, HOARD, file_bytes=10 * 1024**2)
        with spawner.cell(task) as cell:
            outcome = attempt._wait(cell, task, Settings())
            assert cell.ended
    assert isinstance(outcome, Broken)
    assert outcome.code == "result_too_large"
    assert outcome.log == "its scratch folder holds more than 10485760 bytes"
    assert "10,485,760 bytes, four times ROWMILL_MAX_UPLOAD_BYTES" in str(outcome.detail)
