"""Whoever dies at a sample of the points of a path takes nothing along; the long form has all."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from tests.chaos import watched
from tests.chaos.ledger import Sent
from tests.chaos.points import (
    OfAttempts,
    every,
    on_the_path_of_a_cell,
    on_the_path_of_an_attempt,
    on_the_path_of_an_upload,
)
from tests.chaos.verdict import judge
from tests.chaos.watched import Death
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import faults
from tests.system.house import FEW, House, house_on

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

TIDY = {"ROWMILL_ORPHAN_SECONDS": "2"}


@pytest.fixture
def fragile(tmp_path: Path) -> Iterator[House]:
    """A house on a server of its own, which may die."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        with house_on(server, tmp_path, **FEW) as house:
            yield house
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("door", "first", "step", "insists"),
    [("put", 20, 13, True), ("form", 14, 11, False), ("tus", 31, 27, True)],
)
def test_an_api_killed_on_the_path_of_an_upload_loses_nothing(
    house: House, door: str, first: int, step: int, *, insists: bool
) -> None:
    house.worker(**TIDY)
    stood, sent = on_the_path_of_an_upload(
        house, door, every(first, step, most=3), files=itertools.count(1), insists=insists
    )
    assert len(stood) == 3, stood
    nothing_is_lost_of(sent, house)
    assert sent[-1].paths


@pytest.mark.parametrize(
    ("path", "death", "first", "step", "most"),
    [
        (on_the_path_of_an_attempt, watched.of_itself, 8, 20, 3),
        (on_the_path_of_an_attempt, watched.of_its_spawner, 6, 1, 1),
        (on_the_path_of_a_cell, watched.of_its_spawner, 4, 1, 1),
        (on_the_path_of_a_cell, watched.of_its_cell, 2, 5, 2),
    ],
)
def test_who_is_killed_on_the_path_of_an_attempt_loses_nothing(
    house: House, path: OfAttempts, death: Death, first: int, step: int, most: int
) -> None:
    house.worker(ROWMILL_KINDS="image", **TIDY)  # it sweeps
    stood, uploads = path(house, every(first, step, most=most), death=death)
    assert len(stood) == most, stood
    nothing_is_undone_of(uploads, house)


def test_postgres_killed_on_both_paths_loses_nothing(fragile: House) -> None:
    """Where a file has no row yet, and where a COMMIT may have come through."""
    worker = fragile.worker()
    stood, sent = on_the_path_of_an_upload(
        fragile,
        "put",
        every(30, 21, most=2),
        files=itertools.count(1),
        insists=True,
        death=watched.of_postgres,
    )
    assert len(stood) == 2, stood
    worker.kill()
    fragile.worker(ROWMILL_KINDS="image", **TIDY)
    nothing_is_lost_of(sent, fragile)
    died, uploads = on_the_path_of_an_attempt(
        fragile, every(3, 45, most=2), death=watched.of_postgres
    )
    assert len(died) == 2, died
    nothing_is_undone_of(uploads, fragile)


def nothing_is_undone_of(uploads: list[UUID], house: House) -> None:
    for upload in uploads:
        house.until("succeeded", upload)
    poll(lambda: faults(house) == [], why=lambda: faults(house))


def nothing_is_lost_of(sent: list[Sent], house: House) -> None:
    poll(lambda: house.count(status="succeeded") == house.count(), why=house.logs)
    # Whoever died between the file and its row left a file, which a sweep has to find first.
    poll(lambda: faults(house) == [], why=lambda: faults(house))
    with house.client() as client:
        assert judge(sent, house.data, client).faults == {}
