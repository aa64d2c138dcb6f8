"""The log says what happened, and costs nothing when it cannot."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TALKATIVE = """
import logging, resource, signal
from app import log
log.configure(service="test")
said = log.get_logger()
said.info("before")
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
for number in range(2000):
    said.warning("lost", number=number)
    logging.getLogger("another").error("lost, too")
print("alive")
"""


HOSTILE = "a\nb\r\x1b[31m\x85\u2028\u202egnp.jpg\ud800\u00e9\U0001f600"
TELLING = f"""
import logging
from app import log
log.configure(service="test")
log.get_logger().info("upload.stored", name={HOSTILE!a})
logging.getLogger("another").error("its %s", {HOSTILE!a})
"""


FAILING = """
import logging
from app import log
log.configure(service="test")
def convert(password):
    held = {"password": password}
    raise ValueError("it broke")
try:
    convert("".join(["hunter", "2 of the house"]))
except ValueError:
    log.get_logger().exception("job.broke")
    logging.getLogger("another").exception("it broke, too")
"""


def test_a_secret_in_a_variable_is_in_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", FAILING], cwd=ROOT, stderr=subprocess.PIPE)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["event"] for line in lines] == ["job.broke", "it broke, too"]
    for line in lines:
        assert "convert" in json.dumps(line["exception"])  # the traceback is there
    assert b"hunter2" not in done.stderr


def test_a_name_from_outside_forges_neither_a_line_nor_a_colour() -> None:
    done = subprocess.run([sys.executable, "-c", TELLING], cwd=ROOT, stderr=subprocess.PIPE)
    ours, others = (json.loads(line) for line in done.stderr.splitlines())
    assert all(byte == ord("\n") or 32 <= byte < 127 for byte in done.stderr)
    assert ours["name"] == HOSTILE
    assert others["event"] == f"its {HOSTILE}"


@pytest.mark.parametrize("room", [0, 5000])
def test_a_log_on_a_full_disk_costs_nobody_anything(tmp_path: Path, room: int) -> None:
    file = tmp_path / "log"
    with file.open("wb") as lines:
        program = [sys.executable, "-c", TALKATIVE.format(room=room)]
        done = subprocess.run(program, cwd=ROOT, stdout=subprocess.PIPE, stderr=lines)
    assert done.stdout == b"alive\n"
    assert json.loads(file.read_text().splitlines()[0])["event"] == "before"


def test_a_log_that_nobody_reads_any_more_costs_nobody_anything() -> None:
    program = [sys.executable, "-c", TALKATIVE.format(room=-1)]
    talking = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert talking.stderr is not None
    talking.stderr.close()
    assert talking.communicate()[0] == b"alive\n"
