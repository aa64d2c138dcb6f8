"""Real files that others made become all that is offered, or are refused, by one worker."""

from pathlib import Path
from uuid import UUID

import psutil
import pytest
from sqlalchemy import func, select

from app import queue
from app.formats import catalogue
from app.formats.recognise import recognise
from app.models import Job, Worker
from app.storage.keys import source_key
from tests import make
from tests.long import TIMES
from tests.polling import poll
from tests.postgres import Server
from tests.system.house import House, family_of, house_on

pytestmark = [pytest.mark.system, pytest.mark.corpus, pytest.mark.office, pytest.mark.timeout(900)]

BLOCK = 1024**2
REFUSED = {
    "bomb-17000x17000.avif": {"too_many_pixels"},
    "password.docx": {"password_required"},
    "truncated.jpg": {"corrupt_input"},
    "truncated.png": {"corrupt_input"},
    "user-password.pdf": {"password_required"},
}
# What nothing converts stands here, so that a file that nobody looks at is seen.
UNKNOWN = {"random.bin"}


def test_every_real_file_becomes_all_that_is_offered_or_is_refused_rightly(
    postgres: Server, tmp_path: Path, corpus: Path
) -> None:
    kinds = ",".join(family.kind for family in catalogue.families())
    calm = {"ROWMILL_LEASE_SECONDS": "60", "ROWMILL_SWEEP_SECONDS": "15", "ROWMILL_KINDS": kinds}
    with house_on(postgres, tmp_path, **calm, ROWMILL_SLOTS="2") as house:
        worker = house.worker()
        met: set[tuple[str, str]] = set()
        names = {brought(house, file, met): file.name for file in sorted(corpus.iterdir())}
        names.pop(None, None)
        poll(lambda: house.count(finished_at=None) == 0, seconds=800, why=house.logs)
        assert unexpected(house, {id_: name for id_, name in names.items() if id_}) == []
        assert_nothing_is_left(house, worker.pid)


def brought(house: House, file: Path, met: set[tuple[str, str]]) -> UUID | None:
    """Put a file and a job for each of its targets into the house; None for an unknown format.

    At length that is all of them; otherwise two, first of all those that no file of its format had.
    """
    content = file.read_bytes()
    found = recognise(content[:BLOCK], content[-65536:], size=len(content))
    source = catalogue.settled_format(found, file.name)
    targets = dict.fromkeys(catalogue.targets_of(source or ""))
    assert bool(targets) is (file.name not in UNKNOWN), f"{file.name} is {source}"
    if source is None or not targets:
        return None
    if TIMES == 1:
        fresh = [target for target in targets if (source, target) not in met]
        targets = dict.fromkeys([*fresh, *targets][:2])
    met |= {(source, target) for target in targets}
    with house.sessions.begin() as session:
        offers = session.scalars(select(Worker.offers)).one()["pairs"]
        upload = make.make_upload(session, format=source, name=file.name, size=None, received=0)
        part = house.storage.incoming(upload)
        part.write_bytes(content)
        house.storage.store(part, source_key(upload))
        for target in targets:
            kinds = [family.kind for family in catalogue.families_for(source, target)]
            able = [kind for kind in kinds if target in offers.get(kind, {}).get(source, ())]
            assert able, f"the worker cannot turn {source} into {target}"
            payload = {"from": source, "to": target, "options": {}}
            queue.enqueue(session, upload, kind=able[0], payload=payload, max_attempts=1)
    with house.sessions.begin() as session:
        queue.wake(session)
    return upload


def unexpected(house: House, names: dict[UUID, str]) -> list[str]:
    """Return what ended otherwise than it should, in words."""
    told = []
    with house.sessions() as session:
        for job in session.scalars(select(Job).order_by(Job.id)):
            name = names[job.upload_id]
            code = (job.error or {}).get("code")
            if code not in REFUSED.get(name, {None}):
                pair = f"{job.payload['from']} to {job.payload['to']}"
                told.append(f"{name}, {pair}: {job.status} {job.error} {job.stage}")
        assert session.scalar(select(func.sum(Job.losses))) == 0
    return told


def assert_nothing_is_left(house: House, worker: int) -> None:
    """Look for processes beside worker and spawner, and for anything in the scratch folder."""
    [spawner] = family_of(worker)
    assert psutil.Process(spawner).children() == []
    [its_own] = (house.data / "scratch").iterdir()
    [of_the_worker] = its_own.iterdir()
    assert [path.name for path in of_the_worker.iterdir()] == ["alive"]
