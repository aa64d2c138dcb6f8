"""A worker process converts what is in the queue."""

import pytest

from tests.system.house import House

pytestmark = pytest.mark.system


def test_a_worker_converts_a_job_and_records_it(house: House) -> None:
    upload = house.upload(how="null")
    house.worker()
    job = house.until("succeeded", upload)
    assert job.result is not None
    assert house.storage.path(job.result["storage_key"]).read_bytes().startswith(b"NAP1")
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert job.progress == 1
