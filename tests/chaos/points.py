"""Kills a process at every point of a path in turn, before and after what may be lost halfway."""

import itertools
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

from sqlalchemy import func, update

from app.models import IdempotencyKey
from app.states import Status
from tests.chaos.ledger import Sent
from tests.chaos.load import Load
from tests.chaos.scene import SHIM
from tests.polling import poll
from tests.system.house import PLUGIN, ROOT, House, Process


@dataclass(frozen=True)
class Victim:
    """A process that kills itself at the point with this number, once it is armed."""

    process: Process
    log: Path

    def arm(self) -> None:
        self.process.send(signal.SIGUSR1)
        poll(lambda: "armed" in self.log.read_text())

    @property
    def is_dead(self) -> bool:
        return self.process.popen.poll() is not None

    @property
    def last_point(self) -> str:
        return self.log.read_text().splitlines()[-1]


def on_the_path_of_an_upload(
    house: House, door: str, numbers: Iterator[int], *, files: Iterator[int], insists: bool
) -> tuple[list[str], list[Sent]]:
    """Kill the API at each of these points; return those that there were, and what was sent.

    Whoever is killed is followed by the one that is killed next, which serves what is left first.
    In the end an ordinary one serves.
    """
    died: list[str] = []
    sent: list[Sent] = []
    _end_apis(house)
    victim = _api(house, next(numbers))
    while True:
        victim.arm()
        one = Sent(next(files), door, "bmp", insists=insists)
        load = Load([one], [house.api_port], seed=one.number)
        sent.append(one)
        load.start()
        joined = _joined(load)
        _until_either(victim, joined.is_set)
        if not victim.is_dead and one.paths:
            _end_apis(house)
            house.api()
            return died, sent
        if not victim.is_dead:
            continue  # a machine that was too busy: 503, and the path was not walked to its end
        died.append(victim.last_point)
        _let_go_of_keys(house)
        victim = _api(house, next(numbers))
        poll(joined.is_set, seconds=120)


def on_the_path_of_an_attempt(house: House, numbers: Iterator[int]) -> tuple[list[str], list[UUID]]:
    """Kill the worker that converts at each of these points; return those, and the uploads."""
    died: list[str] = []
    uploads: list[UUID] = []
    victim = _worker(house, next(numbers))
    while True:
        victim.arm()
        uploads.append(house.upload(seconds=0.1))
        one = uploads[-1]
        _until_either(victim, partial(_has_succeeded, house, one))
        # What comes after the record may kill it, too: the scratch folder goes.
        if not victim.is_dead and not _dies_idle(house, victim):
            return died, uploads
        died.append(victim.last_point)
        victim = _worker(house, next(numbers))
        house.until("succeeded", one)


def every(first: int, step: int, most: int | None = None) -> Iterator[int]:
    """Yield the numbers of points; behind the last one comes one that is never reached."""
    chosen = itertools.count(first, step)
    return chosen if most is None else itertools.chain(itertools.islice(chosen, most), [10**9])


def _api(house: House, at: int) -> Victim:
    return _begin(house, at, lambda settings: house.api(**settings))


def _worker(house: House, at: int) -> Victim:
    settings = {"ROWMILL_KINDS": "misbehave", "ROWMILL_SLOTS": "1"}
    return _begin(house, at, lambda ours: house.worker(**ours, **settings))


def _begin(house: House, at: int, start: Callable[[dict[str, str]], Process]) -> Victim:
    log = house.folder / f"points-{len(house.processes)}"
    environment = {
        "PYTHONPATH": f"{SHIM}:{PLUGIN}:{ROOT}",
        "CHAOS_POINTS": str(log),
        "CHAOS_KILL_AT": str(at),
    }
    return Victim(start(environment), log)


def _until_either(victim: Victim, done: Callable[[], bool]) -> None:
    poll(lambda: victim.is_dead or done(), seconds=120)


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


def _joined(load: Load) -> threading.Event:
    done = threading.Event()

    def join() -> None:
        load.join()
        done.set()

    threading.Thread(target=join, daemon=True).start()
    return done


def _dies_idle(house: House, victim: Victim) -> bool:
    """Wait until the slot has tidied up, which is the end of the path."""
    scratch = house.data / "scratch"
    poll(lambda: victim.is_dead or not list(scratch.glob(f"*/{victim.process.worker}/*/")))
    return victim.is_dead
