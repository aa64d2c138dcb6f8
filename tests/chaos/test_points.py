"""Processes that are killed at a sample of the points of their paths; the long form takes all."""

import itertools

import pytest

from tests.chaos.points import every, on_the_path_of_an_attempt, on_the_path_of_an_upload
from tests.chaos.verdict import judge
from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import House

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("door", "first", "step", "insists"),
    [("put", 20, 13, True), ("form", 14, 11, False), ("tus", 31, 27, True)],
)
def test_an_api_killed_on_the_path_of_an_upload_loses_nothing(
    house: House, door: str, first: int, step: int, *, insists: bool
) -> None:
    house.worker(ROWMILL_ORPHAN_SECONDS="2")
    died, sent = on_the_path_of_an_upload(
        house, door, every(first, step, most=3), files=itertools.count(1), insists=insists
    )
    assert len(died) == 3, died
    poll(lambda: house.count(status="succeeded") == house.count(), why=house.logs)
    # Whoever died between the file and its row left a file, which a sweep has to find first.
    poll(lambda: faults(house) == [], why=lambda: (faults(house), died))
    with house.client() as client:
        assert judge(sent, house.data, client).faults == {}, died
    assert sent[-1].paths


def test_a_worker_killed_on_the_path_of_an_attempt_loses_nothing(house: House) -> None:
    house.worker(ROWMILL_KINDS="image", ROWMILL_ORPHAN_SECONDS="2")  # it sweeps
    died, uploads = on_the_path_of_an_attempt(house, every(8, 20, most=3))
    assert len(died) == 3, died
    for upload in uploads:
        house.until("succeeded", upload)
    poll(lambda: faults(house) == [], why=lambda: (faults(house), died))
