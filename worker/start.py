"""Puts the parts of one worker together and runs it until it is drained."""

import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from app import log as logging
from app import schema
from app.diagnosis import budget
from app.embedded import EmbeddedFailed, running_url
from app.formats.catalogue import BadFamily, families
from app.formats.family import Family
from app.settings import BadSetting, Settings, from_environment
from app.storage import DiskStorage, WrongHouse
from worker import attempt, ceiling, newer, offers, scratch, trials
from worker.cell import kernel, landlock
from worker.cell.privacy import make_undumpable
from worker.desk import Desk
from worker.home import Home
from worker.janitor import Janitor
from worker.name import host
from worker.nursery import Nursery
from worker.retrial import Retrial
from worker.rounds import Rounds
from worker.seat import Seat
from worker.slots import Slots
from worker.spawner.client import Spawner, SpawnerFailed
from worker.trouble import Trouble
from worker.wake import Wake

log = logging.get_logger()
_REFUSALS = (
    BadFamily,
    BadSetting,
    EmbeddedFailed,
    WrongHouse,
    schema.SchemaTooOld,
    scratch.OtherFileSystem,
)


class Stopped(BaseException):
    """Asked to end before it had begun."""


def run() -> int:
    """Run a worker; 0 after a drain, 2 when it must not start as things are.

    1 when it could not go on and may the next time: a disk was full, or is not mounted yet.
    """
    try:
        settings = from_environment()
        logging.configure(level=settings.log_level, service="worker")
        _run(settings)
    except Stopped:
        return 0
    except _REFUSALS as reason:
        print(f"rowmill worker: {reason}", file=sys.stderr)  # noqa: T201
        return 2
    except SpawnerFailed as reason:
        print(f"rowmill worker: the spawner does not start: {reason}", file=sys.stderr)  # noqa: T201
        return 1
    except OSError as reason:
        print(f"rowmill worker: {reason}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _run(settings: Settings) -> None:
    make_undumpable()  # its environment holds the database's password
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    seat = Seat(_url(settings), name=f"rowmill worker {host()}")
    house = _wait_for_database(seat, live_seconds=settings.lease_seconds)
    storage = DiskStorage(settings.data)
    storage.claim_house(house[0], may_create=house[1])
    able = offers.wanted(families(), settings)
    spawner = Spawner(converters=trials.names(able), python_path=sys.path)
    spawner.start()
    try:
        place = scratch.of_house(settings.scratch, house[0])
        can, tried = _offers(able, spawner, settings, place=place)
        retrial = Retrial(tried, spawner, settings, place=place)
        try:
            _desk(settings, seat, storage, spawner, can, house[0], retrial, place=place).run()
        finally:
            retrial.end()
    finally:
        spawner.stop()


def _offers(
    able: Sequence[Family], spawner: Spawner, settings: Settings, *, place: Path
) -> tuple[offers.Offers, trials.Tried]:
    lacks = kernel.lacks(isolated_outside=settings.isolated_outside)
    why = lacks or trials.unconfined(spawner, settings, place=place)
    if why is not None:
        log.error("worker.cannot_confine", reason=why)
        return offers.make([(family, {}) for family in able], settings).withdrawn(why), []
    _tell_of_the_sandbox(landlock.abi(), isolated_outside=settings.isolated_outside)
    ceiling.tell(slots=settings.slots, each=settings.memory_limit_bytes)
    tried = trials.run(able, spawner, settings, place=place)
    return offers.make(tried, settings), tried


def _tell_of_the_sandbox(abi: int, *, isolated_outside: bool) -> None:
    if not abi:
        log.warning("worker.sandbox", reason="No Landlock: ROWMILL_SANDBOX=external is trusted.")
    elif isolated_outside:
        reason = "ROWMILL_SANDBOX=external would be trusted; Landlock is there, and used."
        log.info("worker.sandbox", landlock=abi, reason=reason)
    if 0 < abi < landlock.SCOPED_ABI:
        log.info("worker.sandbox", landlock=abi, reason="What it lacks, the filter denies too.")


def _desk(
    settings: Settings,
    seat: Seat,
    storage: DiskStorage,
    spawner: Spawner,
    can: offers.Offers,
    house: UUID,
    retrial: Retrial,
    *,
    place: Path,
) -> Desk:
    wake = Wake()
    tools = attempt.Tools(settings, storage, spawner, Path())

    def move_in(name: str) -> Path:
        tools.folder = scratch.prepare(place, settings.data, worker=name)
        return tools.folder

    janitor = Janitor(
        storage,
        house=house,
        scratch=place,
        lease_seconds=settings.lease_seconds,
        wake=wake,
    )
    desk = Desk(
        settings,
        seat=seat,
        slots=Slots(
            settings.slots,
            work=newer.leaving_alone(partial(attempt.run, tools=tools), can.lacking),
            wake=wake,
        ),
        rounds=Rounds(settings, janitor),
        offers=can,
        nursery=Nursery(spawner),
        wake=wake,
        home=Home(move_in, beat_seconds=settings.beat_seconds),
        renewed=retrial.take,
    )
    retrial.begin(wake)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: desk.drain())
    return desk


def _url(settings: Settings) -> str:
    url = settings.database_url or running_url(settings.data)
    if url is None:
        raise BadSetting(
            "DATABASE_URL is not set, and no embedded PostgreSQL runs for this data folder. "
            "Set DATABASE_URL, or start everything with: rowmill up"
        )
    return url


def _wait_for_database(seat: Seat, *, live_seconds: float) -> tuple[UUID, bool]:
    """Return the id of the house and whether it is new, as soon as the database answers.

    Warn, by the way, if it has no seats for all.
    """
    trouble = Trouble()
    while True:
        try:
            with seat.single() as session:
                schema.check(session.connection())
                house = schema.house_of(session.connection())
                with budget.by_the_way():
                    budget.warn(session, workers=1, live_seconds=live_seconds)
        except SQLAlchemyError as error:
            seat.drop()
            trouble.meet(error)
            time.sleep(max(0.0, trouble.until - time.monotonic()))
        else:
            seat.close()
            return house


def _stop(*_: object) -> None:
    raise Stopped
