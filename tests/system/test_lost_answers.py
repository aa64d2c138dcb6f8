"""The network loses the answer to a statement that the database has carried out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.polling import poll
from tests.postgres import Server
from tests.proxy import Proxy, proxy_to
from tests.system.checker import faults
from tests.system.house import FEW, House, Process, house_on

pytestmark = pytest.mark.system


@pytest.fixture
def proxy(house: House) -> Iterator[Proxy]:
    with proxy_to(house.server.port) as proxy:
        yield proxy


def worker_behind(proxy: Proxy, house: House) -> Process:
    return house.worker(DATABASE_URL=proxy.url(house.url), ROWMILL_SLOTS="2")


def test_a_job_whose_claim_got_no_answer_is_given_back_at_the_next_beat(
    each_postgres: Server, tmp_path: Path
) -> None:
    with house_on(each_postgres, tmp_path, **FEW) as house, proxy_to(house.server.port) as proxy:
        worker = worker_behind(proxy, house)
        for _ in range(9):
            proxy.lose_answer_to = b"LATERAL"
            upload = house.upload(how="null")
            job = house.until("succeeded", upload)
            if job.attempts > 1:
                break  # until then the claim that was lost had found nothing
        assert proxy.lost >= 1
        assert house.moves(upload) == ["enqueue", "claim", "release", "claim", "succeed"]
        assert (job.losses, job.releases) == (0, 1)
        assert worker.told("job.given_back")
        assert faults(house) == []


def test_a_record_that_got_no_answer_is_found_to_be_made(house: House, proxy: Proxy) -> None:
    """The retry moves no row; the slot must not take that for a lost lease and delete the file."""
    worker = worker_behind(proxy, house)
    proxy.lose_answer_to = b"'succeeded'"
    upload = house.upload(how="null")
    worker.told("job.succeeded")
    assert proxy.lost == 1
    assert house.moves(upload) == ["enqueue", "claim", "succeed"]
    assert not worker.lines("job.lost")
    assert faults(house) == []


@pytest.mark.parametrize("answer", [b"heartbeat=now()", b"jobs.locked_by =", b"swept_at"])
def test_a_lost_answer_to_anything_else_changes_nothing(
    house: House, proxy: Proxy, answer: bytes
) -> None:
    worker_behind(proxy, house)
    upload = house.upload(how="held")
    house.until("running", upload)
    proxy.lose_answer_to = answer
    poll(lambda: proxy.lost == 1, why=house.logs)
    house.let_go(upload)
    job = house.until("succeeded", upload)
    assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    assert faults(house) == []
