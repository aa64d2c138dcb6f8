"""Somebody else takes every seat: people are told in time, and finished work is kept."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import psycopg2
import pytest

from tests.polling import poll
from tests.system.checker import faults
from tests.system.house import SHORT, House

pytestmark = pytest.mark.system

TAKEN_SECONDS = 3 * float(SHORT["ROWMILL_LEASE_SECONDS"])
END_OURS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'rowmill %'
"""


@contextmanager
def no_seats(house: House) -> Iterator[None]:
    """Take all seats of the server and end those who sit there; take also what they leave."""
    with ExitStack() as seats:
        own = house.server.connect(house.url.rsplit("/", 1)[1])
        own.autocommit = True
        hammer = seats.enter_context(closing(own)).cursor()
        full, over, quiet = threading.Event(), threading.Event(), 0

        def take() -> None:
            nonlocal quiet
            while not over.wait(0.01):
                with suppress(psycopg2.OperationalError):
                    while True:
                        seats.enter_context(closing(house.server.connect()))
                hammer.execute(END_OURS)
                quiet = 0 if hammer.fetchall() else quiet + 1
                if quiet > 20:  # who is still being let in is not seen at once
                    full.set()

        taking = threading.Thread(target=take)
        taking.start()
        try:
            assert full.wait(60)
            yield
        finally:
            over.set()
            taking.join()


def test_without_a_seat_people_are_told_in_time_and_outcomes_are_kept(house: House) -> None:
    house.api()
    worker = house.worker(ROWMILL_SLOTS="2")
    uploads = [house.upload(how="held") for _ in range(2)]
    for upload in uploads:
        house.until("running", upload)
    with house.client() as client:
        with no_seats(house):
            house.let_go(*uploads)
            begun = time.monotonic()
            while time.monotonic() - begun < TAKEN_SECONDS:
                asked = time.monotonic()
                answer = client.get(f"/uploads/{uploads[0]}")
                assert time.monotonic() - asked < 15  # two seconds, and what a busy machine adds
                assert answer.status_code == 503
                assert answer.headers["retry-after"] == "2"
        poll(lambda: client.get(f"/uploads/{uploads[0]}").status_code == 200)
    for upload in uploads:
        job = house.until("succeeded", upload)
        assert (job.attempts, job.losses, job.releases) == (1, 0, 0)
    assert worker.popen.poll() is None
    assert faults(house) == []
