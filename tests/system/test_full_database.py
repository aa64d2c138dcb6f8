"""PostgreSQL's own disk takes no more: it is told as that, and nothing is lost or half done."""

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from tests import plain
from tests.chaos import cargo, disk
from tests.polling import poll
from tests.system.checker import faults
from tests.system.cramped import cramped
from tests.system.house import FEW, House, Process, house_on, living
from tests.system.surroundings import open_folder
from tests.system.test_up import Up

pytestmark = pytest.mark.system

# A worker whose records are refused tries again each second or two, and beats as often.
LONG = FEW | {"ROWMILL_LEASE_SECONDS": "10"}


def test_tables_that_cannot_grow_cost_nobody_a_file_or_an_attempt(tmp_path: Path) -> None:
    with cramped("base") as place, house_on(place.server, tmp_path, **LONG) as house:
        api, worker = house.api(), house.worker(ROWMILL_SLOTS="2")
        sweeper = house.worker(ROWMILL_KINDS="image")
        uploads = converting(house)
        began = time.monotonic()
        with house.client() as client, place.full_of_rows(house.url.rpartition("/")[2]):
            house.let_go(*uploads)
            for method, path in (("PUT", "/uploads/a.png"), ("POST", "/uploads")):
                answer = client.request(method, path, content=cargo.picture(1))
                assert (answer.status_code, answer.json()["code"]) == (503, "database_full")
                assert answer.headers["retry-after"] == "2"
            assert client.get(f"/uploads/{uploads[0]}").json()["status"] == "converting"
            ready = client.get("/readyz")
            assert (ready.status_code, ready.json()["checks"]["database"]["full"]) == (200, True)
            poll(lambda: len(kept(house)) == 2, why=house.logs)
            worker.told("database.full")
            assert house.count(status="running") == house.count() == 2
        recorded_at_once(house, uploads)
        with house.client() as client:
            again = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
            assert again.status_code == 303
        assert api.told("database.full")
        for process in (api, worker, sweeper):
            says_little(process, seconds=time.monotonic() - began)
        assert faults(house) == []


def test_a_log_that_cannot_grow_kills_the_server_and_nothing_else(tmp_path: Path) -> None:
    with cramped("pg_wal") as place, house_on(place.server, tmp_path, **LONG) as house:
        api, worker = house.api(), house.worker(ROWMILL_SLOTS="2")
        uploads = converting(house)
        began = time.monotonic()
        with house.client() as client, ThreadPoolExecutor(1) as pool:
            last = threading.Event()
            coming = pool.submit(client.post, "/uploads?to=bmp&wait=30", content=body(last))
            poll(lambda: list((house.data / "incoming").iterdir()), why=house.logs)
            with place.full_of_log():
                house.let_go(*uploads)
                for method, path in (("PUT", "/uploads/b.png"), ("GET", f"/uploads/{uploads[0]}")):
                    answer = client.request(method, path, content=cargo.picture(2))
                    assert (answer.status_code, answer.json()["code"]) == (503, "database_away")
                    assert answer.headers["retry-after"] == "2"
                ready = client.get("/readyz")
                assert (ready.status_code, ready.json()["checks"]["database"]["ok"]) == (503, False)
                poll(lambda: len(kept(house)) == 2, why=house.logs)
                if disk.is_small(place.disk):
                    with pytest.raises(RuntimeError, match="No space left on device"):
                        place.server.start()
                last.set()
            place.server.start()
            assert coming.result(100).status_code == 303
        recorded_at_once(house, uploads)
        for process in (api, worker):
            says_little(process, seconds=time.monotonic() - began)
        assert faults(house) == []


def test_rowmill_up_outlives_a_disk_on_which_no_server_starts() -> None:
    """By default all lies on one disk, and what could not be written ended the whole service."""
    with open_folder() as folder, disk.small_disk() as small:
        if disk.is_small(small):
            (folder / "data").symlink_to(small)
        up = Up(folder, ROWMILL_KINDS="image")
        try:
            if disk.is_small(small):
                _outlives(up, small)
            answer = plain.get(f"{up.address}/readyz", timeout=30)
            assert answer.status_code == 200, up.everything()
        finally:
            up.end()


def _outlives(up: Up, small: Path) -> None:
    with disk.full(small):
        server = up.part("postgres")
        assert server is not None
        server.kill()

        def was_tried() -> bool:
            _top_up(small)
            return "[Errno 28]" in up.words() or not living(up.process.pid)

        poll(was_tried, why=up.everything)
        assert living(up.process.pid), up.everything()
        assert plain.get(f"{up.address}/readyz", timeout=30).status_code == 503
        (small / "more").unlink()
    poll(lambda: plain.get(f"{up.address}/readyz", timeout=30).status_code == 200, seconds=60)


def _top_up(small: Path) -> None:
    """Take what a dead server left, too."""
    with contextlib.suppress(OSError), (small / "more").open("ab", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def converting(house: House) -> list[UUID]:
    """Return two uploads whose conversions go on until they are let go."""
    uploads = [house.upload(how="held") for _ in range(2)]
    for upload in uploads:
        house.until("running", upload)
    return uploads


def kept(house: House) -> list[Path]:
    """Return the outcomes that wait to be recorded."""
    return list((house.data / "results").glob("*/*.json"))


def recorded_at_once(house: House, uploads: list[UUID]) -> None:
    """See that what ended meanwhile was neither done again nor counted as anything."""
    for upload in uploads:
        job = house.until("succeeded", upload)
        assert (job.attempts, job.losses, job.releases) == (1, 0, 0)


def says_little(process: Process, *, seconds: float) -> None:
    """See that it lives, and that it told of the trouble once in ten seconds at most."""
    assert process.popen.poll() is None
    troubles = [
        line
        for event in ("database.full", "database.away", "database.refused")
        for line in process.lines(event)
    ]
    assert len(troubles) <= seconds / 10 + 1, troubles
    assert len(process.lines("database.back")) <= len(troubles)


def body(last: threading.Event) -> Iterator[bytes]:
    """Send a picture whose last byte comes when it is time."""
    yield cargo.picture(3)
    yield bytes(2 * 1024**2)  # enough to be written
    last.wait(100)
    yield bytes(1)
