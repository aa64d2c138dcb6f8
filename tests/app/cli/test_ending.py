"""Programs are asked to end, hastened when somebody insists, killed when time is up."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.ending import Ending, finish
from tests.polling import poll

pytestmark = pytest.mark.usefixtures("held_signals")

# Each signal is a line in the file $0; nothing but SIGKILL ends it.
STUBBORN = """
trap "echo TERM >>$0" TERM
trap "echo INT >>$0" INT
echo up >>$0
while :; do sleep 0.05; done
"""


@pytest.fixture
def heard(tmp_path: Path) -> Path:
    return tmp_path / "heard"


@pytest.fixture
def stubborn(heard: Path) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(["bash", "-c", STUBBORN, heard], preexec_fn=_open)  # noqa: PLW1509
    poll(heard.exists)
    yield process
    process.kill()
    process.wait()


def _open() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def press_ctrl_c() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def test_one_that_ends_when_asked_is_not_killed() -> None:
    process = subprocess.Popen(["sleep", "600"], preexec_fn=_open)  # noqa: PLW1509
    Ending().end(process, patience=30)
    assert process.returncode == -signal.SIGTERM


def test_one_that_does_not_end_in_time_is_killed(
    stubborn: "subprocess.Popen[bytes]", heard: Path
) -> None:
    Ending().end(stubborn, patience=1.5)  # in which a busy machine can tell it
    assert stubborn.returncode == -signal.SIGKILL
    assert heard.read_text().split() == ["up", "TERM"]


def test_a_further_ctrl_c_insists_and_one_more_kills(
    stubborn: "subprocess.Popen[bytes]", heard: Path
) -> None:
    def insist() -> None:
        poll(lambda: "TERM" in heard.read_text())
        press_ctrl_c()
        poll(lambda: "INT" in heard.read_text())
        press_ctrl_c()

    person = threading.Thread(target=insist)
    person.start()
    Ending().end(stubborn, patience=600, insist=signal.SIGINT)
    person.join()
    assert stubborn.returncode == -signal.SIGKILL
    assert heard.read_text().split() == ["up", "TERM", "INT"]


def test_one_that_is_gone_or_never_came_is_no_trouble() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    Ending().end(gone, patience=1)
    Ending().end(None, patience=1)


def test_a_program_that_ends_by_itself_is_waited_for() -> None:
    assert finish(subprocess.Popen(["bash", "-c", "exit 7"])) == 7


def test_waiting_ends_with_the_program_when_somebody_wants_to_stop() -> None:
    process = subprocess.Popen(["sleep", "600"], preexec_fn=_open)  # noqa: PLW1509
    press_ctrl_c()
    assert finish(process) is None
    assert process.returncode == -signal.SIGTERM
