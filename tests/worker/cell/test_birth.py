"""A forked child lets go of what it was given, and does not outlive who made it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

CHILD = """
import os, socket, stat
from worker.cell.birth import OUT, _keep_only
here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
receive, send = os.pipe()
assert there.fileno() != OUT
_keep_only(there.fileno(), send)
assert stat.S_ISSOCK(os.fstat(OUT).st_mode)
assert stat.S_ISFIFO(os.fstat(2).st_mode)
os._exit(os.get_inheritable(OUT))
"""


def test_a_program_that_a_converter_starts_cannot_speak_for_it() -> None:
    subprocess.run([sys.executable, "-c", CHILD], cwd=ROOT, check=True)


ORPHAN = """
import os
from worker.cell.birth import die_with
parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        pass
    die_with(parent)
    os.write(1, b"it lives on")
os._exit(0)
"""


def test_a_child_whose_parent_was_gone_before_it_could_ask_for_a_signal_ends() -> None:
    asked = [sys.executable, "-c", ORPHAN]
    assert subprocess.run(asked, cwd=ROOT, check=True, capture_output=True).stdout == b""
