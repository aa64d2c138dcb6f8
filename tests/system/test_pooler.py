"""Behind a transaction pooler everything works, without wake-ups."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app import schema
from tests.chaos.load import Load, cargo_list
from tests.chaos.verdict import judge
from tests.polling import poll
from tests.postgres import free_port
from tests.system.checker import faults
from tests.system.house import House, pooled

pytestmark = [pytest.mark.system, pytest.mark.pgbouncer]

SEATS, SLOTS = 5, 30


@pytest.fixture
def house(house: House) -> Iterator[House]:
    with pooled(house):
        yield house


def test_a_worker_finds_out_that_no_wake_up_arrives_and_looks_by_itself(
    house: House,
) -> None:
    api = house.api()
    worker = house.worker(ROWMILL_SLOTS="2")
    uploads = [house.upload(seconds=0.2) for _ in range(6)]
    for upload in uploads:
        assert house.until("succeeded", upload).attempts == 1
    with house.client() as client:
        assert client.get(f"/uploads/{uploads[0]}").json()["status"] == "ready"
    assert len(worker.lines("wakeups.polling")) == 1
    assert not worker.lines("database.refused")
    assert '"level": "error"' not in api.log.read_text()
    assert faults(house) == []


def test_two_api_processes_and_thirty_slots_share_five_connections(
    house: House,
) -> None:
    house.api_port = free_port()
    api = house.start_api(house.api_port, "--workers", "2")
    worker = house.worker(ROWMILL_SLOTS=str(SLOTS))
    poll(lambda: len(api.lines("api.open")) == 2, why=house.logs)
    sent = cargo_list(40, seed=3)
    load = Load(sent, [house.api_port], seed=3, senders=6, lookers=2)
    with sessions_seen(house) as seen:
        load.start()
        load.join()
        poll(lambda: not house.count(status="queued") + house.count(status="running"), seconds=120)
        load.stop()
        with house.client() as client:
            assert judge(sent, house.data, client).faults == {}
        naps = [house.upload(how="held") for _ in range(SLOTS)]
        poll(lambda: house.count(status="running") == SLOTS, why=house.logs)
        house.let_go(*naps)
        for upload in naps:
            house.until("succeeded", upload)
    assert all(one.paths for one in sent)
    assert 1 < max(seen) <= SEATS
    assert len(worker.lines("wakeups.polling")) == 1
    assert faults(house) == []


def test_a_migration_through_a_pooler_is_refused_with_the_reason(house: House) -> None:
    with pytest.raises(RuntimeError, match="A connection pooler stands before the database"):
        schema.upgrade(house.way)


@contextmanager
def sessions_seen(house: House) -> Iterator[list[int]]:
    """Yield what grows with each look: how many sessions the pooler has in the house's database."""
    watcher = house.server.connect(house.url.rsplit("/", 1)[1])
    watcher.autocommit = True
    seen: list[int] = []
    over = threading.Event()

    def look() -> None:
        cursor = watcher.cursor()
        while not over.wait(0.02):
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND application_name <> 'rowmill test' "
                "AND backend_type = 'client backend'"
            )
            seen.extend(row[0] for row in cursor)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()
        watcher.close()
