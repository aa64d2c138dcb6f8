"""A worker that cannot confine its conversions converts nothing, stays up, and says why."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import queue
from app.settings import BadSetting, from_environment
from app.storage.keys import source_key
from tests import make
from tests.polling import poll
from tests.postgres import Server
from tests.system.house import PLUGIN, ROOT, House, Process, house_on
from worker.cell import kernel, landlock

HERE = Path(__file__).parent
WITHOUT = [sys.executable, "-m", "tests.worker.cell.without"]


@pytest.fixture
def house(postgres: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(postgres, tmp_path) as house:
        yield house


def test_a_whole_kernel_lacks_nothing() -> None:
    assert kernel.lacks(isolated_outside=False) is None


def test_a_processor_without_a_table_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    for isolated in (False, True):
        reason = str(kernel.lacks(isolated_outside=isolated))
        assert "x86_64 and aarch64, not riscv64" in reason


def test_a_kernel_without_landlock_is_told_and_will_do_with_the_operators_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(landlock, "HIGHEST_ABI", 0)
    assert "ROWMILL_SANDBOX=external" in str(kernel.lacks(isolated_outside=False))
    assert kernel.lacks(isolated_outside=True) is None


def test_there_is_no_setting_that_takes_the_sandbox_away() -> None:
    assert not from_environment({}).isolated_outside
    assert from_environment({"ROWMILL_SANDBOX": "external"}).isolated_outside
    for word in ("off", "none", "", "CELL"):
        with pytest.raises(BadSetting, match=r"ROWMILL_SANDBOX.* must be cell, or external"):
            from_environment({"ROWMILL_SANDBOX": word})


@pytest.mark.system
def test_without_landlock_a_worker_offers_nothing_and_says_why(house: House) -> None:
    worker = start(house, "landlock")
    upload = house.upload(how="null")
    [said] = worker.lines("worker.cannot_confine")
    assert "The kernel has no Landlock" in said
    shown = readiness(house)
    assert shown["kinds"] == []
    assert shown["sandbox"] == "cell"
    assert ["The kernel has no Landlock" in problem for problem in shown["problems"]] == [True]
    assert house.moves(upload) == ["enqueue"]
    assert worker.popen.poll() is None


@pytest.mark.system
def test_without_landlock_a_worker_converts_on_the_operators_word(house: House) -> None:
    worker = start(house, "landlock", ROWMILL_SANDBOX="external")
    house.until("succeeded", house.upload(how="null"))
    assert len(worker.lines("worker.sandbox")) == 1
    assert readiness(house)["sandbox"] == "external"


@pytest.mark.system
def test_without_seccomp_no_word_helps(house: House) -> None:
    worker = start(house, "seccomp", ROWMILL_SANDBOX="external")
    assert "no seccomp filters" in worker.lines("worker.cannot_confine")[0]
    assert readiness(house)["kinds"] == []


@pytest.mark.system
def test_a_cell_that_turns_out_open_gives_its_job_back_and_stops_its_worker(house: House) -> None:
    path = f"{HERE / 'plugin'}:{PLUGIN}:{ROOT}"
    worker = house.worker(PYTHONPATH=path)
    with house.sessions.begin() as session:
        upload = make.make_upload(session)
        part = house.storage.incoming(upload)
        part.write_bytes(b"a picture")
        house.storage.store(part, source_key(upload))
        payload = {"from": "png", "to": "greed", "options": {}}
        queue.enqueue(session, upload, kind="greedy", payload=payload, max_attempts=3)
    poll(lambda: "release" in house.moves(upload), why=house.logs)
    poll(lambda: readiness(house)["kinds"] == [], why=house.logs)
    [problem] = readiness(house)["problems"]
    assert "a cell can list" in problem
    assert worker.lines("cell.unconfined")
    job = house.job(upload)
    assert (job.status, job.attempts - job.releases) == ("queued", 0)


def start(house: House, missing: str, **settings: str) -> Process:
    """Start a worker on a kernel that lacks something, and wait until it has entered itself."""
    command = [*WITHOUT, missing, sys.executable, "-m", "worker"]
    worker = house._start(command, "worker", settings)
    poll(lambda: worker.lines("worker.entered"), seconds=60, why=worker.log.read_text)
    return worker


def readiness(house: House) -> dict[str, Any]:
    """Return what /readyz says of the one worker."""
    if not house.api_port:
        house.api()
    with house.client() as client:
        [worker] = client.get("/readyz").json()["workers"]
    assert isinstance(worker, dict)
    return worker
