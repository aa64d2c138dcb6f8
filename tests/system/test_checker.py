"""The checker finds what attempts and workers leave behind."""

import uuid
from contextlib import suppress

import psutil
import pytest

from tests.polling import poll
from tests.system.checker import abandoned, faults
from tests.system.house import House, family_of

pytestmark = pytest.mark.system


def test_a_folder_that_an_attempt_left_is_found(house: House) -> None:
    name = house.worker().worker
    house.until("running", house.upload(seconds=600))
    (attempt,) = poll(lambda: list((house.data / "scratch").glob(f"*/{name}/*/")))
    assert faults(house) == []
    lease = uuid.uuid4().hex
    attempt.with_name(lease).mkdir()
    assert faults(house) == [f"the scratch folder of {name} for lease {lease} is left"]


def test_who_outlives_a_worker_is_found_and_so_is_its_folder(house: House) -> None:
    """Frozen, its spawner and its cell do not see that it dies."""
    worker = house.worker()
    name = worker.worker
    house.until("running", house.upload(seconds=600))
    poll(lambda: len(family_of(worker.pid)) == 2, why=house.logs)
    family = [psutil.Process(pid) for pid in family_of(worker.pid)]
    assert abandoned(house) == []
    for process in family:
        process.suspend()
    worker.kill()
    outlived = {f"process {process.pid} has outlived worker {worker.pid}" for process in family}
    assert set(faults(house)) == outlived
    for process in family:
        with suppress(psutil.NoSuchProcess):  # the spawner goes first and takes its cell along
            process.resume()
    poll(lambda: faults(house) == [])
    assert abandoned(house) == [f"the scratch folder of {name} is left"]
