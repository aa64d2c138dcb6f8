"""Lets somebody die at every point of a path in turn, before and after what may be lost halfway."""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from uuid import UUID

from sqlalchemy import func, update

from app.models import IdempotencyKey
from app.states import Status
from tests.chaos import watched
from tests.chaos.ledger import Sent
from tests.chaos.load import Died, Load
from tests.chaos.watched import Death, Watched
from tests.polling import poll
from tests.system.house import House

OfAttempts = Callable[..., tuple[list[str], list[UUID]]]


def on_the_path_of_an_upload(
    house: House,
    door: str,
    numbers: Iterator[int],
    *,
    files: Iterator[int],
    insists: bool,
    death: Death = watched.of_itself,
) -> tuple[list[str], list[Sent]]:
    """Let the API stand still at each of these points, and somebody die while it does.

    Return the points that there were, and what was sent. If it was the API that died, another one
    serves what is left of it first. In the end an ordinary one serves.
    """
    stood: list[str] = []
    sent: list[Sent] = []
    _end_apis(house)
    api, number = watched.api(house), next(numbers)
    while True:
        api.arm(number)
        one = Sent(next(files), door, "bmp", insists=insists)
        load = Load([one], [house.api_port], seed=one.number)
        sent.append(one)
        load.start()
        joined = _joined(load)
        _until(house, api.stands_still, joined)
        if not api.stands_still() and one.paths:
            _end_apis(house)
            house.api()
            return stood, sent
        if not api.stands_still():
            continue  # a machine that was too busy: 503, and the path was not walked to its end
        stood.append(api.last_point())
        death(house, api.process)
        _let_go_of_keys(house)
        if api.is_dead():
            api = watched.api(house)
        api.go_on()
        _until(house, joined)
        number = next(numbers)


def on_the_path_of_an_attempt(
    house: House, numbers: Iterator[int], *, death: Death = watched.of_itself
) -> tuple[list[str], list[UUID]]:
    """Do the same with the worker that converts; return those points, and the uploads."""
    stood: list[str] = []
    uploads: list[UUID] = []
    worker = watched.worker(house)
    while True:
        worker.arm(next(numbers))
        uploads.append(house.upload(seconds=0.1))
        _until(house, worker.stands_still, partial(_has_succeeded, house, uploads[-1]))
        # What comes after the record may stop it, too: the scratch folder goes.
        if not worker.stands_still() and not _stands_still_idle(house, worker):
            return stood, uploads
        stood.append(worker.last_point())
        death(house, worker.process)
        worker = _following(house, worker, uploads[-1])


def on_the_path_of_a_cell(
    house: House, numbers: Iterator[int], *, death: Death
) -> tuple[list[str], list[UUID]]:
    """Do the same with the cell of the attempt; return those points, and the uploads."""
    stood: list[str] = []
    uploads: list[UUID] = []
    worker = watched.worker(house)
    while True:
        uploads.append(house.upload(at=next(numbers)))
        _until(house, worker.cells_that_stand_still, partial(_has_succeeded, house, uploads[-1]))
        if not worker.cells_that_stand_still():
            return stood, uploads
        stood.append(worker.last_point_of_its_cell(house))
        death(house, worker.process)
        worker = _following(house, worker, uploads[-1])


def every(first: int, step: int, most: int | None = None) -> Iterator[int]:
    """Yield the numbers of points; behind the last one comes one that is never reached."""
    chosen = itertools.count(first, step)
    return chosen if most is None else itertools.chain(itertools.islice(chosen, most), [10**9])


def _following(house: House, worker: Watched, upload: UUID) -> Watched:
    """Have the job done after all, and return another worker.

    One whose spawner died starts the next one later each time.
    """
    last = watched.worker(house) if worker.is_dead() else worker
    last.go_on()
    _until(house, last.let_its_cells_go_on, partial(_has_succeeded, house, upload))
    if last is not worker:
        return last
    worker.process.kill()
    return watched.worker(house)


def _until(house: House, *conditions: Callable[[], object]) -> None:
    """Wait until one of them holds."""
    poll(lambda: any(holds() for holds in conditions), seconds=120, why=house.logs)


def _has_succeeded(house: House, upload: UUID) -> bool:
    return house.job(upload).status is Status.SUCCEEDED


def _end_apis(house: House) -> None:
    for process in house.processes:
        if process.name == "api":
            process.kill()


def _let_go_of_keys(house: House) -> None:
    """Whoever died holds its client's key for half a minute; it need not be waited for."""
    with house.sessions.begin() as session:
        session.execute(update(IdempotencyKey).values(held_until=func.now()))


def _joined(load: Load) -> Callable[[], bool]:
    """Return what tells whether all was sent, and raises Died if the sender has."""
    joined: Future[None] = Future()

    def join() -> None:
        try:
            load.join()
        except Died as died:
            joined.set_exception(died)
        else:
            joined.set_result(None)

    threading.Thread(target=join, daemon=True).start()
    return lambda: joined.done() and joined.result() is None


def _stands_still_idle(house: House, worker: Watched) -> bool:
    """Wait until the slot has tidied up, which is the end of the path."""
    scratch = house.data / "scratch"
    poll(lambda: worker.stands_still() or not list(scratch.glob(f"*/{worker.process.worker}/*/")))
    return worker.stands_still()
