"""A dump of the database and a copy of the data folder are a whole Rowmill on another machine."""

import hashlib
import shutil
import signal
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from tests.chaos import cargo
from tests.polling import poll
from tests.postgres import Server
from tests.system.checker import faults
from tests.system.house import House

pytestmark = pytest.mark.system

LEFT_OUT = ("incoming", "scratch", "postgres-18")  # as the docs say


def test_what_was_backed_up_goes_on_elsewhere(
    house: House, postgres: Server, tmp_path: Path
) -> None:
    house.api()
    worker = house.worker(ROWMILL_SLOTS="2")
    done = [_sent(house, number) for number in range(3)]
    running = house.upload(how="held")
    house.until("running", running)
    worker.send(signal.SIGSTOP)  # so that it still runs when it is dumped, whatever its cell does
    dump = _dumped(house, tmp_path)
    late = house.upload()  # its file is in the copy, its row is not in the dump
    there = tmp_path / "there"
    shutil.copytree(house.data, there / "data", ignore=shutil.ignore_patterns(*LEFT_OUT))
    house.end()
    with postgres.database(template="template0") as url:
        _restored(postgres, dump, url)
        other = House(postgres, url, there, house.settings)
        try:
            other.api()
            other.worker(ROWMILL_ORPHAN_SECONDS="2", ROWMILL_SLOTS="2")
            other.let_go(running)
            for number, upload in enumerate(done):
                _is_there(other, upload, number)
            job = other.until("succeeded", running)
            assert (job.losses, job.attempts) == (1, 2)
            assert other.moves(running) == ["enqueue", "claim", "rescue", "claim", "succeed"]
            _sent(other, 9)
            poll(lambda: faults(other) == [], why=lambda: faults(other))
            assert (there / "data" / "trash" / f"objects-{late}").exists()
        finally:
            other.end()


def _sent(house: House, number: int) -> UUID:
    """Have a picture converted by way of the API."""
    with house.client() as client:
        answer = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(number))
        assert answer.status_code == 303, answer.text
        return UUID(answer.headers["location"].split("/")[2])


def _is_there(house: House, upload: UUID, number: int) -> None:
    job = house.job(upload)
    assert job.result is not None
    with house.client() as client:
        result = client.get(f"/uploads/{upload}/result").content
    assert hashlib.sha256(result).hexdigest() == job.result["sha256"]
    assert cargo.is_made_from(number, "bmp", result)


def _dumped(house: House, folder: Path) -> Path:
    dump = folder / "rowmill.dump"
    _run(house.server, "pg_dump", "--format=custom", f"--file={dump}", _plain(house.url))
    return dump


def _restored(server: Server, dump: Path, url: str) -> None:
    _run(server, "pg_restore", "--exit-on-error", f"--dbname={_plain(url)}", str(dump))


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg2:", "postgresql:")


def _run(server: Server, program: str, *arguments: str) -> None:
    done = subprocess.run(
        [server.binaries / program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
