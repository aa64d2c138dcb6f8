"""Every point of every path, one death at each: the systematic half of the long form."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.chaos import watched
from tests.chaos.load import DOORS
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
from tests.system.checker import abandoned, faults
from tests.system.house import FEW, House, house_on

TIDY = {"ROWMILL_ORPHAN_SECONDS": "2"}
# Most of the time a walk waits for a process to start, which takes one CPU.
AT_ONCE = 2
Faults = dict[str, list[str]]
Say = Callable[[str], None]
Walk = Callable[[House], Faults]


def walk(folder: Path, say: Say) -> Faults:
    """Let die at each point, say how many there were, and return what was wrong in the end."""
    with _server() as server, ThreadPoolExecutor(AT_ONCE) as walking:
        walks = [
            *(partial(_walked, server, path) for path in _of_processes(say)),
            *(partial(_walked_alone, path) for path in _of_postgres(say)),
        ]
        places = [folder / str(number) for number in range(len(walks))]
        return together(walking.map(lambda go, place: go(place), walks, places))


def together(found: Iterable[Faults]) -> Faults:
    """Return all that the walks found."""
    faults: dict[str, list[str]] = defaultdict(list)
    for one in found:
        for kind, said in one.items():
            faults[kind] += said
    return dict(faults)


def _of_processes(say: Say) -> Iterator[Walk]:
    yield from _by_each_door(watched.of_itself, say)
    for path, death in (
        (on_the_path_of_an_attempt, watched.of_itself),
        (on_the_path_of_an_attempt, watched.of_its_spawner),
        (on_the_path_of_a_cell, watched.of_its_cell),
        (on_the_path_of_a_cell, watched.of_its_spawner),
    ):
        yield partial(_attempts, path=path, death=death, say=say)


def _of_postgres(say: Say) -> Iterator[Walk]:
    """Yield those in which the server dies, which needs one of its own for each."""
    yield from _by_each_door(watched.of_postgres, say)
    path = on_the_path_of_an_attempt
    yield partial(_attempts, path=path, death=watched.of_postgres, say=say)


def _by_each_door(death: Death, say: Say) -> Iterator[Walk]:
    for door, insists in (*((door, True) for door in DOORS), ("put", False)):
        yield partial(_uploads, door=door, insists=insists, death=death, say=say)


@contextmanager
def _server() -> Iterator[Server]:
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        yield server
    finally:
        server.stop()


def _walked_alone(path: Walk, folder: Path) -> Faults:
    with _server() as server:
        return _walked(server, path, folder)


def _walked(server: Server, path: Walk, folder: Path) -> Faults:
    folder.mkdir()
    with house_on(server, folder, **FEW) as house:
        return path(house)


def _uploads(house: House, *, door: str, insists: bool, death: Death, say: Say) -> Faults:
    worker = house.worker()
    stood, sent = on_the_path_of_an_upload(
        house, door, every(1, 1), files=itertools.count(1), insists=insists, death=death
    )
    how = "" if insists else " once"
    say(f"death {_said(death)} at {len(stood)} points on the path of an upload by {door}{how}")
    # Only now: an API that stood still for two seconds would find its file swept.
    worker.kill()
    house.worker(**TIDY)
    impossible = _settled(house)
    with house.client() as client:
        return judge(sent, house.data, client).faults | impossible


def _attempts(house: House, *, path: OfAttempts, death: Death, say: Say) -> Faults:
    house.worker(ROWMILL_KINDS="image", **TIDY)  # it sweeps
    stood, _ = path(house, every(1, 1), death=death)
    say(f"death {_said(death)} at {len(stood)} points {_said(path)}")
    return _settled(house)


def _said(function: Callable[..., object]) -> str:
    return function.__name__.replace("_", " ")


def _settled(house: House) -> Faults:
    """Wait until nothing is open and a sweep has found what the dead had left without a row."""
    poll(lambda: not house.count(status="queued") + house.count(status="running"), seconds=120)
    try:
        poll(lambda: not faults(house) + abandoned(house))
    except AssertionError:
        return {"impossible": faults(house) + abandoned(house)}
    return {}
