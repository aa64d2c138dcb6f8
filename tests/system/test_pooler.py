"""Behind a transaction pooler everything works, without wake-ups."""

import re
from collections.abc import Iterator

import pytest

from app import schema
from tests.pgbouncer import pgbouncer
from tests.system.checker import faults
from tests.system.house import House

pytestmark = [pytest.mark.system, pytest.mark.pgbouncer]


@pytest.fixture
def pooled_url(house: House) -> Iterator[str]:
    with pgbouncer(house.server) as port:
        yield re.sub(r":\d+/", f":{port}/", house.url)


def test_a_worker_finds_out_that_no_wake_up_arrives_and_looks_by_itself(
    house: House, pooled_url: str
) -> None:
    api = house.api(DATABASE_URL=pooled_url)
    worker = house.worker(DATABASE_URL=pooled_url, ROWMILL_SLOTS="2")
    uploads = [house.upload(seconds=0.2) for _ in range(6)]
    for upload in uploads:
        assert house.until("succeeded", upload).attempts == 1
    with house.client() as client:
        assert client.get(f"/uploads/{uploads[0]}").json()["status"] == "ready"
    assert len(worker.lines("wakeups.polling")) == 1
    assert not worker.lines("database.refused")
    assert '"level": "error"' not in api.log.read_text()
    assert faults(house) == []


def test_a_migration_through_a_pooler_is_refused_with_the_reason(pooled_url: str) -> None:
    with pytest.raises(RuntimeError, match="A connection pooler stands before the database"):
        schema.upgrade(pooled_url)
