"""The network between one worker and the database is silent for longer than a lease."""

from uuid import UUID

import pytest

from app.storage.keys import result_key
from tests.chaos.scene import cells_of, is_over
from tests.polling import poll
from tests.proxy import proxy_to
from tests.system.checker import faults
from tests.system.house import House

pytestmark = pytest.mark.system


@pytest.mark.rounds(20)
def test_a_worker_behind_a_silent_network_is_relieved_and_changes_nothing_when_it_is_back(
    house: House,
) -> None:
    """One of its conversions still runs then, and one has ended: both are another's by now."""
    with proxy_to(house.server.port) as proxy:
        first = house.worker(ROWMILL_SLOTS="2", DATABASE_URL=proxy.url(house.url))
        uploads = running, ended = [house.upload(how="held") for _ in range(2)]
        leases = [str(house.until("running", upload).lease_id) for upload in uploads]
        poll(lambda: len(cells_of(first.pid)) == 2, why=house.logs)
        cells = cells_of(first.pid)
        second = house.worker(ROWMILL_SLOTS="2")
        proxy.silent.set()
        for upload in uploads:
            poll(lambda upload=upload: is_held_by(house, upload, second.worker), why=house.logs)  # type: ignore[misc]
        house.let_go(ended)
        won = house.until("succeeded", ended)
        own = house.storage.path(result_key(ended, 1, UUID(leases[1])))
        poll(own.exists, why=house.logs)
        poll(lambda: [*map(is_over, cells)].count(True) == 1, why=house.logs)
        proxy.silent.clear()
        proxy.cut()
        first.told("worker.found_itself_lost")
        poll(lambda: all(map(is_over, cells)), why=house.logs)
        poll(lambda: len(first.lines("job.lost")) == 2, why=house.logs)
        poll(lambda: not own.exists(), why=house.logs)
        assert house.job(ended).result == won.result
        assert is_held_by(house, running, second.worker)
        house.let_go(running)
        house.until("succeeded", running)
    once = ["enqueue", "claim", "rescue", "claim", "succeed"]
    assert [house.moves(upload) for upload in uploads] == [once, once]
    poll(lambda: faults(house) == [], why=lambda: faults(house))


def is_held_by(house: House, upload: UUID, worker: str) -> bool:
    return house.job(upload).locked_by == worker
