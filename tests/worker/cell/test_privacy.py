"""An undumpable process cannot be read by others of its user."""

import subprocess
import sys
from pathlib import Path

import pytest

from worker.cell.prctl import prctl

ROOT = Path(__file__).parents[3]

SPY = """
import os
from worker.cell.privacy import is_dumpable, make_dumpable, make_undumpable
if os.geteuid() == 0:
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
make_dumpable()  # a change of user takes it away
private = {private}
if private:
    make_undumpable()
assert is_dumpable() is not private
victim = os.getpid()
if (spy := os.fork()) == 0:
    make_dumpable()
    for secret in ("environ", "maps", "mem"):
        try:
            with open(f"/proc/{{victim}}/{{secret}}", "rb") as file:
                file.read(0)
            print("read", secret, flush=True)
        except PermissionError:
            print("denied", secret, flush=True)
    os._exit(0)
os.waitpid(spy, 0)
"""


@pytest.mark.parametrize(("private", "word"), [(True, "denied"), (False, "read")])
def test_its_environment_and_memory_are_closed_to_its_own_user(private: bool, word: str) -> None:
    program = [sys.executable, "-c", SPY.format(private=private)]
    spied = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    assert spied.stdout.split() == [word, "environ", word, "maps", word, "mem"]


def test_what_the_kernel_refuses_is_an_error() -> None:
    with pytest.raises(OSError, match="prctl"):
        prctl(-1)
