"""A cell that can make no process runs programs all the same, and just so many."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.formats.family import Needs
from tests.worker.cell.probing import spawner_of, task_of
from worker.converters import program
from worker.outcome import Broken, Converted
from worker.spawner.client import Spawner

PROGRAMS = "rowmill_programs:convert"
Ended = dict[str, Any]
Run = Callable[..., list[Ended]]

PROBE = """
import json, os, socket, subprocess
def tried(what):
    try:
        what()
    except OSError as error:
        return error.strerror
    return "done"
def unix(kind, then):
    with socket.socket(socket.AF_UNIX, kind) as made:
        then(made)
print(json.dumps({
    "fork": tried(os.fork),
    "start a program": tried(lambda: subprocess.run(["/bin/true"])),
    "leave the session": tried(os.setsid),
    "leave the group": tried(lambda: os.setpgid(0, 0)),
    "signal the cell": tried(lambda: os.kill(os.getppid(), 0)),
    "read /etc/passwd": tried(lambda: open("/etc/passwd")),
    "write in scratch": tried(lambda: open("written", "w")),
    "TCP": tried(lambda: socket.socket()),
    "bind": tried(lambda: unix(socket.SOCK_STREAM, lambda made: made.bind("here"))),
    "connect": tried(lambda: unix(socket.SOCK_STREAM, lambda made: made.connect("here"))),
    "datagram": tried(lambda: unix(socket.SOCK_DGRAM, lambda made: None)),
    "descriptors": [n for n in range(256) if tried(lambda: os.fstat(n)) == "done"],
}))
"""


@pytest.fixture(scope="module")
def spawner() -> Iterator[Spawner]:
    with spawner_of(os.getuid(), PROGRAMS) as spawner:
        yield spawner


@pytest.fixture
def in_a_cell(spawner: Spawner, scratch: Path) -> Callable[..., list[Ended]]:
    """Return a function that runs programs in one cell."""

    def run(*argvs: list[str], needs: Needs | None = None, **how: Any) -> list[Ended]:
        options = {"run": argvs, "with": how}
        needs = needs or Needs(programs=len(argvs))
        with spawner.cell(task_of(scratch, PROGRAMS, options=options, needs=needs)) as cell:
            assert cell.wait(timeout=60)
            assert cell.outcome() == Converted()
        ended: list[Ended] = json.loads((scratch / "output.nap").read_text())
        return ended

    return run


def outside(*argvs: list[str], listen: bool = False, **how: Any) -> list[Ended]:
    lines: list[str] = []
    heard = lines.append if listen else None
    ended = [vars(program.run(argv, heard=heard, **how)) for argv in argvs]
    return [one | {"stdout": one["stdout"].decode(), "lines": lines} for one in ended]


@pytest.fixture(params=["in a cell", "outside"])
def run(request: pytest.FixtureRequest, in_a_cell: Run) -> Run:
    """Return a function that runs programs; a converter's own tests run them outside."""
    return in_a_cell if request.param == "in a cell" else outside


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_what_a_program_prints_and_how_it_ends_is_told(run: Run) -> None:
    [ended] = run(shell("echo out; echo err >&2; exit 3"))
    assert ended == {"code": 3, "signal": None, "stdout": "out\n", "stderr": "err\n", "lines": []}


def test_several_programs_run_one_after_the_other(run: Run) -> None:
    ended = run(shell("echo one"), shell("exit 1"), shell("echo three"))
    assert [one["stdout"] for one in ended] == ["one\n", "", "three\n"]
    assert [one["code"] for one in ended] == [0, 1, 0]


def test_lines_are_heard_one_by_one_and_the_last_without_its_end(run: Run) -> None:
    [ended] = run(shell(r"printf 'a=1\n\nb\377=2\nlast'"), listen=True)
    assert ended["lines"] == ["a=1", "", "b�=2", "last"]
    assert ended["stdout"] == ""


def test_a_line_without_end_is_told_in_parts(run: Run) -> None:
    [ended] = run([sys.executable, "-c", "print('x' * 300_000)"], listen=True)
    assert len(ended["lines"]) > 1
    assert sum(map(len, ended["lines"])) == 300_000


def test_the_head_of_the_output_and_the_end_of_the_errors_are_kept(run: Run) -> None:
    script = "import sys; sys.stdout.write('x' * 2**21); sys.stderr.write('y' * 2**20 + 'z')"
    [ended] = run([sys.executable, "-c", script])
    assert ended["stdout"] == "x" * 2**20
    assert ended["stderr"] == "y" * (2**16 - 1) + "z"


def test_a_signal_that_ended_it_is_told(run: Run) -> None:
    [ended] = run(shell("kill -SEGV $$"))
    assert (ended["code"], ended["signal"]) == (None, signal.SIGSEGV)


def test_a_program_that_is_not_there_says_so(run: Run) -> None:
    [ended] = run(["/usr/bin/no-such-program"])
    assert ended["code"] == program.NOT_STARTED
    assert "No such file" in ended["stderr"]


def test_it_has_nothing_to_read_and_an_environment_of_its_own(run: Run) -> None:
    [ended] = run(shell("read line; echo $ADDED$line"), environment={"ADDED": "this"})
    assert ended["stdout"] == "this\n"


def test_it_answers_the_signals_that_python_ignores(run: Run) -> None:
    """With SIGXFSZ ignored, a program that fills its file would go on for ever."""
    [ended] = run(shell("kill -XFSZ $$"))
    assert ended["signal"] == signal.SIGXFSZ


def test_one_program_more_than_the_family_needs_is_refused(spawner: Spawner, scratch: Path) -> None:
    options = {"run": [["/bin/true"], ["/bin/true"]]}
    task = task_of(scratch, PROGRAMS, options=options, needs=Needs(programs=1))
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=60)
        outcome = cell.outcome()
    assert isinstance(outcome, Broken)
    assert "NoPad: no program may be started" in outcome.log


TALKS_AND_STAYS = shell("echo words; exec sleep 60")


def test_a_converter_that_has_heard_enough_need_not_wait(spawner: Spawner, scratch: Path) -> None:
    options = {"run": [TALKS_AND_STAYS], "with": {"tire": True}}
    task = task_of(scratch, PROGRAMS, options=options, needs=Needs(programs=1))
    with spawner.cell(task) as cell:
        assert cell.wait(timeout=30)
        outcome = cell.outcome()
    assert isinstance(outcome, Broken)
    assert "tired of words" in outcome.log
    assert psutil.Process(spawner.pid).children(recursive=True) == []


def test_a_converter_outside_of_a_cell_leaves_no_program_either() -> None:
    def tire(line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="words"):
        program.run(TALKS_AND_STAYS, heard=tire)
    assert "sleep" not in {child.name() for child in psutil.Process().children()}


def test_whoever_waits_for_a_quiet_program_can_do_something_meanwhile() -> None:
    class Enough(Exception):
        pass

    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Enough

    with pytest.raises(Enough):
        program.run(shell("exec sleep 60"), meanwhile=count)
    assert "sleep" not in {child.name() for child in psutil.Process().children()}


def test_a_program_is_confined_like_its_cell(in_a_cell: Run) -> None:
    [ended] = in_a_cell([sys.executable, "-c", PROBE], needs=Needs(programs=3))
    assert json.loads(ended["stdout"]) == {
        "fork": "Operation not permitted",
        "start a program": "Operation not permitted",
        "leave the session": "Operation not permitted",
        "leave the group": "Operation not permitted",
        "signal the cell": "Operation not permitted",
        "read /etc/passwd": "Permission denied",
        "write in scratch": "done",
        "TCP": "Operation not permitted",
        "bind": "Operation not permitted",
        "connect": "Operation not permitted",
        "datagram": "Operation not permitted",
        "descriptors": [0, 1, 2],
    }


def test_a_unix_socket_can_be_bound_where_it_is_needed_and_never_connected(
    in_a_cell: Run,
) -> None:
    needs = Needs(programs=1, unix_sockets=True)
    [ended] = in_a_cell([sys.executable, "-c", PROBE], needs=needs)
    table = json.loads(ended["stdout"])
    assert {name: table[name] for name in ("TCP", "bind", "connect", "datagram")} == {
        "TCP": "Operation not permitted",
        "bind": "done",
        "connect": "Operation not permitted",
        "datagram": "Operation not permitted",
    }


def test_a_folder_can_be_read_and_run_from_where_it_is_needed(
    in_a_cell: Run, tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho it runs\n")
    tool.chmod(0o755)
    for reads, printed in (((str(tmp_path),), "it runs\n"), ((), "")):
        [ended] = in_a_cell([str(tool)], needs=Needs(programs=1, reads=reads))
        assert ended["stdout"] == printed
