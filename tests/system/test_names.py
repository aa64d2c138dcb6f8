"""Two workers get one name by a strange accident; elsewhere it was every restart."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import select

from app.models import Worker
from tests.chaos.scene import SHIM
from tests.polling import poll
from tests.proxy import Proxy, proxy_to
from tests.system.checker import faults
from tests.system.house import PLUGIN, ROOT, House

pytestmark = pytest.mark.system


@pytest.fixture
def named() -> dict[str, str]:
    """Settings with which each worker's first name is made of the same digits."""
    return {"PYTHONPATH": f"{SHIM}:{PLUGIN}:{ROOT}", "CHAOS_WORKER_ID": str(uuid4())}


@pytest.fixture
def proxy(house: House) -> Iterator[Proxy]:
    with proxy_to(house.server.port) as proxy:
        yield proxy


def names(house: House) -> set[str]:
    with house.sessions() as session:
        return set(session.scalars(select(Worker.name).where(Worker.lost_at.is_(None))))


def test_two_living_workers_of_one_name_do_not_give_back_each_others_jobs(
    house: House, named: dict[str, str]
) -> None:
    first, second = [house.worker(ROWMILL_SLOTS="1", **named) for _ in range(2)]
    assert not first.lines("worker.name_is_taken")
    assert second.lines("worker.name_is_taken")
    assert names(house) == {first.worker, second.worker}
    uploads = [house.upload(seconds=1) for _ in range(2)]
    for upload in uploads:
        house.until("succeeded", upload)
        assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert faults(house) == []


def test_a_name_of_a_dead_worker_is_not_taken_over_with_its_jobs(
    house: House, named: dict[str, str]
) -> None:
    first = house.worker(ROWMILL_SLOTS="1", **named)
    upload = house.upload(how="held")
    house.until("running", upload)
    first.kill()
    second = house.worker(ROWMILL_SLOTS="1", **named)
    assert second.worker != first.worker
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.losses, job.attempts) == (1, 2)
    assert faults(house) == []


def test_a_lost_answer_at_the_entry_leaves_a_row_that_is_soon_lost(
    house: House, proxy: Proxy, named: dict[str, str]
) -> None:
    """Its worker cannot tell it from another's; it works under a second name."""
    proxy.lose_answer_to = b"INSERT INTO workers"
    worker = house.worker(DATABASE_URL=proxy.url(house.url), **named)
    assert proxy.lost == 1
    assert len(worker.lines("worker.name_is_taken")) == 1
    job = house.until("succeeded", house.upload(how="null"))
    assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    poll(lambda: names(house) == {worker.worker}, why=house.logs)
    assert faults(house) == []
