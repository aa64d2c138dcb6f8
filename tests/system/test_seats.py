"""What Rowmill holds of the database while thirty conversions run: nothing.

A statement has a snapshot for the millisecond in which it runs, and a look may meet one. What
would hold up VACUUM is a snapshot or a transaction that outlives its statement: no look finds
one in a session that is not active, most looks find none at all, and no transaction is old.
A look reads the state of a session and what it pins one after the other, so one that meets the
end of a statement sees a mixture: what the next look does not find any more was none.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

import psycopg2
import pytest

from tests.polling import poll
from tests.postgres import Server
from tests.system.house import FEW, House, house_on

pytestmark = pytest.mark.system

SLOTS = 30
# Far enough apart that also on a busy machine most of the time nobody is connected.
BEATS = {
    "ROWMILL_BEAT_SECONDS": "1",
    "ROWMILL_SWEEP_SECONDS": "1.5",
    "ROWMILL_LEASE_SECONDS": "6",
}
LOOK = """
SELECT count(*) FILTER (WHERE worker), count(*) FILTER (WHERE NOT worker),
       count(*) FILTER (WHERE worker AND state LIKE 'idle in transaction%'),
       count(*) FILTER (WHERE pins), count(*) FILTER (WHERE pins AND state <> 'active'),
       COALESCE(max(extract(epoch FROM clock_timestamp() - xact_start)), 0),
       array_agg(backend_start) FILTER (WHERE worker),
       array_agg(COALESCE(state_change, backend_start)) FILTER (WHERE worker),
       (SELECT array_agg(heartbeat) FROM workers)
FROM (
    SELECT *, application_name LIKE 'rowmill worker%' AS worker,
           COALESCE(backend_xmin, backend_xid) IS NOT NULL AS pins
    FROM pg_stat_activity
    WHERE application_name LIKE 'rowmill%' AND application_name <> 'rowmill test'
        AND datname = current_database()
) AS ours
"""


@dataclass(frozen=True)
class Sample:
    """What one look at pg_stat_activity found: the worker's, then also the API's.

    `served` are the worker's seats: when each was taken, and when it was last used.
    """

    seats: int
    seats_of_api: int
    idle_in_transaction: int
    pinning: int
    pinning_idle: int
    longest_transaction_seconds: float
    served: list[tuple[datetime, datetime]]
    heartbeats: list[datetime]


@pytest.fixture
def house(postgres: Server, tmp_path: Path) -> Iterator[House]:
    with house_on(postgres, tmp_path, **FEW, **BEATS, ROWMILL_SLOTS=str(SLOTS)) as house:
        yield house


def test_thirty_busy_slots_hold_no_seat_no_transaction_and_no_horizon(house: House) -> None:
    house.way = ""  # a pooler's sessions would tell nothing of a worker's
    house.worker()
    house.api()
    uploads = [house.upload(seconds=600) for _ in range(SLOTS)]
    poll(lambda: house.count(status="running") == SLOTS, why=house.logs)
    watcher = watch(house)
    prepare_dead_rows(watcher)
    # The seat on which the last job was claimed stays for a tenth of a second.
    poll(lambda: look(watcher, seconds=0)[0].seats == 0)
    with somebody_waits_for(house, uploads[0]):
        samples = look(watcher, seconds=6)
    # The server takes its time to let one go; who had two would be seen with them at each beat.
    assert 10 * sum(sample.seats > 1 for sample in samples) <= sum(s.seats == 1 for s in samples)
    assert statistics.median(sample.seats for sample in samples) == 0
    assert sum(sample.idle_in_transaction for sample in samples) == 0
    assert sum(sample.pinning_idle for sample in samples) == 0
    assert statistics.median(sample.pinning for sample in samples) == 0
    assert max(sample.longest_transaction_seconds for sample in samples) < 2.5
    assert any(sample.seats == 1 for sample in samples), "no beat was seen: the look is blind"
    assert set(beats_of_each_seat(samples).values()) == {1}, "a seat outlives its beat"
    assert any(sample.seats_of_api for sample in samples), "the API was not seen"
    assert dead_rows_that_stay(watcher) == 0
    assert house.job(uploads[0]).attempts == 1
    watcher.close()


def test_an_idle_worker_holds_one_seat_and_no_transaction(house: House) -> None:
    house.worker()
    watcher = watch(house)
    samples = look(watcher, seconds=3)
    assert max(sample.seats for sample in samples) == 1
    assert sum(sample.idle_in_transaction + sample.pinning_idle for sample in samples) == 0
    watcher.close()


def watch(house: House) -> "psycopg2.extensions.connection":
    connection = house.server.connect(house.url.rsplit("/", 1)[1])
    connection.autocommit = True
    return connection


def look(watcher: "psycopg2.extensions.connection", *, seconds: float) -> list[Sample]:
    """Look as often as it goes for a while."""
    samples: list[Sample] = []
    end = time.monotonic() + seconds
    with watcher.cursor() as cursor:
        while not samples or time.monotonic() < end:
            sample = _sample(cursor)
            if sample.pinning_idle:
                stays = min(sample.pinning_idle, _sample(cursor).pinning_idle)
                sample = replace(sample, pinning_idle=stays)
            samples.append(sample)
            time.sleep(0.002)
    return samples


def _sample(cursor: "psycopg2.extensions.cursor") -> Sample:
    cursor.execute(LOOK)
    row = cursor.fetchone()
    assert row is not None
    taken, used = row[6] or [], row[7] or []
    served = [*zip(taken, used, strict=True)]
    return Sample(*[*row[:5], float(row[5]), served, row[8]])


def beats_of_each_seat(samples: list[Sample]) -> dict[datetime, int]:
    """Return how many beats came on each seat that is known to have served one.

    A beat is a second after the one before, or later on a busy machine: a seat that serves one
    and is given back lives for less. What the server takes to let one go is not counted.
    """
    used: dict[datetime, datetime] = {}
    for taken, last in (seat for sample in samples for seat in sample.served):
        used[taken] = max(last, used.get(taken, last))
    beats = {beat for sample in samples for beat in sample.heartbeats}
    found = {taken: sum(taken <= beat <= last for beat in beats) for taken, last in used.items()}
    return {taken: count for taken, count in found.items() if count}


@contextmanager
def somebody_waits_for(house: House, upload: UUID) -> Iterator[None]:
    """Ask the API for news of the upload all the while, as a page does that is open."""
    enough = threading.Event()

    def wait() -> None:
        with house.client() as client:
            while not enough.is_set():
                client.get(f"/uploads/{upload}", headers={"Prefer": "wait=3"})

    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        yield
    finally:
        enough.set()
        waiting.join()


def prepare_dead_rows(watcher: "psycopg2.extensions.connection") -> None:
    with watcher.cursor() as cursor:
        cursor.execute("CREATE TABLE other AS SELECT generate_series(1, 10000) AS id")
        cursor.execute("ALTER TABLE other SET (autovacuum_enabled = off)")
        cursor.execute("DELETE FROM other")


def dead_rows_that_stay(watcher: "psycopg2.extensions.connection") -> int:
    """Vacuum while everything runs; return how many of the dead rows were kept."""
    with watcher.cursor() as cursor:
        del watcher.notices[:]
        cursor.execute("VACUUM (VERBOSE) other")
        (told,) = [notice for notice in watcher.notices if "tuples:" in notice]
        line = next(line for line in told.splitlines() if line.startswith("tuples:"))
        assert "10000 removed" in line, line
        return int(line.split(", ")[2].split()[0])
