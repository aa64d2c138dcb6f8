"""A forked child lets go of what it was given."""

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
