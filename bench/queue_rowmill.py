"""Rowmill's side of the queue's table: the real desk and slots, with work that does nothing."""

import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import NullPool, create_engine, text

from app import db, queue
from app.queue import Claimed
from app.settings import Settings
from app.storage import DiskStorage
from tests import make
from worker.attempt import Control
from worker.desk import Desk
from worker.home import Home
from worker.janitor import Janitor
from worker.nursery import Nursery
from worker.offers import Offers
from worker.outcome import Converted
from worker.report import HandIn, Report
from worker.rounds import Rounds
from worker.seat import Seat
from worker.slots import Slots
from worker.wake import Wake

KIND = "misbehave"
_READY = """
WITH upload AS (
    INSERT INTO uploads (id, name, size, received, completed_at, expires_at)
    SELECT gen_random_uuid(), 'one.png', 1, 1, now(), now() + interval '7 days'
    FROM generate_series(1, {jobs}) RETURNING id
)
INSERT INTO jobs (upload_id, number, kind, payload, max_attempts, run_after)
SELECT id, 1, 'misbehave', '{{"from": "png", "to": "nap"}}', 3, clock_timestamp() FROM upload;
"""
RESULT = {"storage_key": "results/none", "size": 1, "sha256": "0" * 64, "facts": {}}


class NoSpawner(Nursery):
    """Nothing is converted here, so nothing has to be kept alive."""

    def __init__(self) -> None:
        pass

    @property
    def ready(self) -> bool:
        return True

    def keep(self, *, busy: bool) -> None:
        pass


def enqueue(url: str, count: int) -> float:
    """Add uploads with a job each, one transaction each; return the seconds it took."""
    engine = db.api_engine(url)
    sessions = db.sessions_of(engine)
    began = time.monotonic()
    for _ in range(count):
        with sessions.begin() as session:
            upload = make.make_upload(session)
            queue.enqueue(session, upload, kind=KIND, payload=make.PNG_TO_NAP, max_attempts=3)
    took = time.monotonic() - began
    engine.dispose()
    return took


def fill(url: str, count: int) -> None:
    """Add as many at once, where it is not the adding that is measured.

    Each has a time of its own, as jobs have that come one by one: of those with one and the same
    time a claim passes by all that are dead.
    """
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(_READY.format(jobs=count))


def drain(url: str, count: int, *, slots: int) -> float:
    """Claim, do nothing and record until `count` jobs are done; return the seconds it took."""
    left = [count]
    lock = threading.Lock()

    def work(job: Claimed, _: Control, hand_in: HandIn) -> None:
        hand_in(Report(job, Converted(), RESULT))
        with lock:
            left[0] -= 1
            if left[0] == 0:
                desk.drain()

    with TemporaryDirectory(prefix="rowmill-bench-") as folder:
        desk = _desk(url, slots, work, Path(folder))
        before = _succeeded(url)
        began = time.monotonic()
        desk.run()
        took = time.monotonic() - began
    return took if _succeeded(url) == before + count else float("nan")


def _succeeded(url: str) -> int:
    engine = db.api_engine(url)
    with db.sessions_of(engine)() as session:
        # A bench fills the table with finished rows that no worker has moved.
        moved = session.scalar(text("SELECT count(*) FROM events WHERE move = 'succeed'"))
    engine.dispose()
    return int(moved or 0)


def _desk(url: str, slots: int, work: Callable[..., None], folder: Path) -> Desk:
    settings = Settings(slots=slots)
    wake = Wake()
    storage = DiskStorage(folder)
    return Desk(
        settings,
        seat=Seat(url, name="rowmill worker bench"),
        slots=Slots(slots, work=work, wake=wake),
        rounds=Rounds(settings, _janitor(storage, folder, wake)),
        offers=Offers(rooms={KIND: slots}, pairs={}),
        nursery=NoSpawner(),
        wake=wake,
        home=Home(lambda _: folder, beat_seconds=settings.beat_seconds),
    )


def _janitor(storage: DiskStorage, folder: Path, wake: Wake) -> Janitor:
    house = uuid.uuid4()
    storage.claim_house(house, may_create=True)
    return Janitor(storage, house=house, scratch=folder, lease_seconds=60, wake=wake)
