"""Every point of every path, one kill at each: the systematic half of the long form."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.chaos.load import DOORS
from tests.chaos.points import every, on_the_path_of_an_attempt, on_the_path_of_an_upload
from tests.chaos.verdict import judge
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import abandoned, faults
from tests.system.house import FEW, House, house_on

TIDY = {"ROWMILL_ORPHAN_SECONDS": "2"}
# Most of the time a walk waits for a process to start, which takes one CPU.
AT_ONCE = 2
Faults = dict[str, list[str]]
Say = Callable[[str], None]


def walk(folder: Path, say: Say) -> Faults:
    """Kill at each point, say how many there were, and return what was wrong in the end."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    walks: list[Callable[[House], Faults]] = [
        partial(_uploads, door=door, insists=insists, say=say)
        for door, insists in (*((door, True) for door in DOORS), ("put", False))
    ]
    walks.append(partial(_attempts, say=say))
    try:
        with ThreadPoolExecutor(AT_ONCE) as walking:
            places = [folder / str(number) for number in range(len(walks))]
            return together(walking.map(partial(_walked, server), walks, places))
    finally:
        server.stop()


def together(found: Iterable[Faults]) -> Faults:
    """Return all that the walks found."""
    faults: dict[str, list[str]] = defaultdict(list)
    for one in found:
        for kind, said in one.items():
            faults[kind] += said
    return dict(faults)


def _walked(server: Server, path: Callable[[House], Faults], folder: Path) -> Faults:
    folder.mkdir()
    with house_on(server, folder, **FEW) as house:
        return path(house)


def _uploads(house: House, *, door: str, insists: bool, say: Say) -> Faults:
    house.worker(**TIDY)
    died, sent = on_the_path_of_an_upload(
        house, door, every(1, 1), files=itertools.count(1), insists=insists
    )
    how = "" if insists else " once"
    say(f"{len(died)} points on the path of an upload by {door}{how}")
    impossible = _settled(house)
    with house.client() as client:
        return judge(sent, house.data, client).faults | impossible


def _attempts(house: House, *, say: Say) -> Faults:
    house.worker(ROWMILL_KINDS="image", **TIDY)  # it sweeps
    died, _ = on_the_path_of_an_attempt(house, every(1, 1))
    say(f"{len(died)} points on the path of an attempt")
    return _settled(house)


def _settled(house: House) -> Faults:
    """Wait until nothing is open and a sweep has found what the dead had left without a row."""
    poll(lambda: not house.count(status="queued") + house.count(status="running"), seconds=120)
    try:
        poll(lambda: not faults(house) + abandoned(house))
    except AssertionError:
        return {"impossible": faults(house) + abandoned(house)}
    return {}
