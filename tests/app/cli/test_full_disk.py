"""A disk on which nothing can be written costs `rowmill up` a try, not its life."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from app.cli import logfile
from app.cli.launch import Launcher
from app.cli.watched import Watched
from tests.polling import poll


def test_a_program_that_cannot_be_started_for_want_of_room_is_tried_again() -> None:
    said: list[str] = []
    fails = iter([False, True, False])

    def start() -> "subprocess.Popen[bytes]":
        return _no_room() if next(fails) else subprocess.Popen("true")

    program = Watched("thing", start, last_words=str)
    program.start()
    poll(lambda: not program.alive())
    program.look(said.append)
    for _ in range(2):
        program.due = 0.0
        program.look(said.append)
    assert os.strerror(errno.ENOSPC) in said[1]
    assert program.process is not None
    assert program.process.wait(60) == 0


def test_a_log_that_cannot_be_moved_aside_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logfile, "trim", lambda _: _no_room())
    (tmp_path / "api.log").write_text("long")
    Launcher(tmp_path, {}).trim_logs()
    assert (tmp_path / "api.log").read_text() == "long"


def _no_room() -> "subprocess.Popen[bytes]":
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
