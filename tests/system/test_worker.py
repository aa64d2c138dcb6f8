"""A worker process converts what is in the queue."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.storage.keys import source_key
from tests.postgres import free_port
from tests.system.house import ROOT, House

pytestmark = pytest.mark.system

WATCHED = """
import os, threading, time
from worker import start
from worker.cell.privacy import is_dumpable

def watch():
    ends = time.monotonic() + 60
    while is_dumpable() and time.monotonic() < ends:
        time.sleep(0.01)
    os._exit(3 if is_dumpable() else 0)

threading.Thread(target=watch).start()
start.run()
"""


def test_a_worker_converts_a_job_and_records_it(house: House) -> None:
    upload = house.upload(how="null")
    house.worker()
    job = house.until("succeeded", upload)
    assert job.result is not None
    assert house.storage.path(job.result["storage_key"]).read_bytes().startswith(b"NAP1")
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert job.progress == 1


def test_a_job_whose_file_is_gone_fails_at_once_and_says_so(house: House) -> None:
    upload = house.upload(how="null")
    house.storage.path(source_key(upload)).unlink()
    worker = house.worker()
    job = house.until("failed", upload)
    assert job.error is not None
    assert (job.error["code"], job.attempts) == ("source_missing", 1)
    assert house.moves(upload) == ["enqueue", "claim", "fail"]
    assert any("source_missing" in line for line in worker.told("job.refused"))


def test_nobody_can_look_into_a_running_worker(tmp_path: Path) -> None:
    """Its environment holds the database's password; it closes itself before it does anything."""
    away = f"postgresql://rowmill:secret@127.0.0.1:{free_port()}/away"
    settings = {"DATABASE_URL": away, "ROWMILL_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", WATCHED]
    watched = subprocess.run(program, env=settings, cwd=ROOT, capture_output=True, text=True)
    assert watched.returncode == 0, watched.stderr
