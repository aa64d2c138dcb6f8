"""A disk that takes no more bytes is told as what it is, and all goes on when there is room."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

import psutil
import pytest
from sqlalchemy import text

from app.storage import keys
from tests.chaos import cargo, disk
from tests.polling import poll
from tests.postgres import Server
from tests.system.checker import faults
from tests.system.house import FEW, House, Process, house_on

pytestmark = pytest.mark.system


@contextmanager
def without_room(*processes: Process) -> Iterator[None]:
    """Let no file grow that these processes write to, their logs included."""
    limited = [psutil.Process(process.pid) for process in processes]
    (_, hard) = limited[0].rlimit(psutil.RLIMIT_FSIZE)
    for process in limited:
        process.rlimit(psutil.RLIMIT_FSIZE, (0, hard))
    yield
    for process in limited:
        process.rlimit(psutil.RLIMIT_FSIZE, (hard, hard))


def test_an_upload_that_cannot_be_written_is_refused_and_leaves_nothing(house: House) -> None:
    """Not even a line of the log can be written; that must not cost anybody an answer."""
    api, worker = house.api(), house.worker()
    with house.client() as client:
        with without_room(api, worker):
            for method, path in (("PUT", "/uploads/a.png"), ("POST", "/uploads")):
                answer = client.request(method, path, content=cargo.picture(1))
                assert (answer.status_code, answer.json()["code"]) == (503, "storage_away")
                assert answer.headers["retry-after"] == "2"
            assert client.get("/healthz").status_code == 200
        assert house.count() == 0
        answer = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
        assert answer.status_code == 303
    assert worker.popen.poll() is None
    assert faults(house) == []


def test_a_worker_without_room_for_its_log_converts_all_the_same(house: House) -> None:
    worker = house.worker()
    with without_room(worker):
        upload = house.upload(seconds=0.2)
        job = house.until("succeeded", upload)
    assert (job.attempts, job.losses) == (1, 0)
    assert worker.popen.poll() is None
    assert faults(house) == []


@pytest.mark.rounds(30)
def test_a_full_disk_takes_no_upload_gives_every_result_and_tries_again_later(
    postgres: Server, tmp_path: Path
) -> None:
    with _house_on_a_small_disk(postgres, tmp_path) as (house, small):
        _full_and_empty(house, small)


def _full_and_empty(house: House, small: Path) -> None:
    house.api(ROWMILL_MAX_ATTEMPTS="20")
    house.worker()
    with house.client() as client:
        done = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
        waiting = client.put("/uploads/b.png?to=nap&seconds=2", content=cargo.picture(2)).json()
        if disk.is_small(small):
            with disk.full(small):
                answer = client.put("/uploads/c.png", content=cargo.picture(3))
                assert (answer.status_code, answer.json()["code"]) == (507, "no_room")
                result = client.get(done.headers["location"])
                assert cargo.is_made_from(1, "bmp", result.content)
                assert client.get("/readyz").json()["checks"]["storage"]["full"] is True
        again = client.put("/uploads/c.png?to=bmp&wait=30", content=cargo.picture(3))
        assert again.status_code == 303
        house.until("succeeded", waiting["id"])
    assert faults(house) == []


@pytest.mark.rounds(30)
def test_a_conversion_without_room_in_its_scratch_folder_is_tried_again_until_there_is(
    postgres: Server, tmp_path: Path
) -> None:
    """Of a converter that writes in Python, and of one whose library does."""
    with _house_on_a_small_disk(postgres, tmp_path) as (house, small):
        _convert_without_room(house, small)


def _convert_without_room(house: House, small: Path) -> None:
    house.api(ROWMILL_MAX_ATTEMPTS="50")
    house.worker(ROWMILL_SLOTS="1")
    with house.client() as client:
        sent = [
            client.put("/uploads/a.png?to=nap&how=held", content=cargo.picture(1)).json(),
            client.put("/uploads/b.png?to=bmp", content=cargo.picture(2)).json(),
        ]
        uploads = [UUID(one["id"]) for one in sent]
        house.until("running", uploads[0])
        if disk.is_small(small):
            with disk.full(small):
                house.let_go(uploads[0])
                for upload in uploads:
                    poll(partial(_has_met_a_full_disk, house, upload), why=house.logs)
        house.let_go(uploads[0])
        for upload in uploads:
            house.until("succeeded", upload)
        results = [client.get(f"/uploads/{upload}/result").content for upload in uploads]
    assert cargo.is_made_from(1, "nap", results[0])
    assert cargo.is_made_from(2, "bmp", results[1])
    assert faults(house) == []


def test_a_worker_that_starts_on_a_full_disk_converts_once_there_is_room(
    postgres: Server, tmp_path: Path
) -> None:
    with _house_on_a_small_disk(postgres, tmp_path) as (house, small):
        if not disk.is_small(small):
            return
        with disk.full(small):
            worker = house.worker()
            assert "there was no room to try it" in worker.told("worker.entered")[0]
        worker.told("worker.tried_again")
        house.api()
        with house.client() as client:
            answer = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
            assert answer.status_code == 303
        assert faults(house) == []


def test_a_worker_without_room_for_its_folder_sweeps_what_expires_and_converts_later(
    postgres: Server, tmp_path: Path
) -> None:
    """Where nobody swept because the disk is full, it would stay full."""
    with _house_on_a_small_disk(postgres, tmp_path) as (house, small):
        house.api()
        before = house.worker()
        with house.client() as client:
            done = client.put("/uploads/a.png?to=bmp&wait=30", content=cargo.picture(1))
            before.send(signal.SIGTERM)
            assert before.wait() == 0
            file = small / keys.source_key(UUID(done.headers["location"].split("/")[2]))
            assert file.exists()
            if disk.is_small(small):
                with disk.full(small), disk.crowded(small):
                    worker = house.worker()
                    worker.told("worker.no_room")
                    with house.sessions.begin() as session:
                        session.execute(text("UPDATE uploads SET expires_at = now()"))
                    poll(lambda: not file.exists(), why=house.logs)
                worker.told("worker.has_room")
                answer = client.put("/uploads/b.png?to=nap&wait=30", content=cargo.picture(2))
                assert answer.status_code == 303
        assert faults(house) == []


def _has_met_a_full_disk(house: House, upload: UUID) -> bool:
    """Tell whether an attempt has ended for want of room; none ends otherwise."""
    moves = house.moves(upload)
    assert set(moves) <= {"enqueue", "claim", "retry"}, moves
    return "retry" in moves and (house.job(upload).error or {}).get("code") == "storage_unavailable"


@contextmanager
def _house_on_a_small_disk(postgres: Server, folder: Path) -> Iterator[tuple[House, Path]]:
    with disk.small_disk() as small:
        (folder / "data").symlink_to(small, target_is_directory=True)
        with house_on(postgres, folder, **FEW) as house:
            yield house, small
