"""Every point of every path, one kill at each: the systematic half of the long form."""

import itertools
from collections.abc import Callable
from pathlib import Path

from tests.chaos.load import DOORS
from tests.chaos.points import every, on_the_path_of_an_attempt, on_the_path_of_an_upload
from tests.chaos.verdict import judge
from tests.polling import poll
from tests.postgres import VERSIONS, Server, migrated
from tests.system.checker import faults
from tests.system.house import FEW, House, house_on

TIDY = {"ROWMILL_ORPHAN_SECONDS": "2"}


def walk(folder: Path, say: Callable[[str], None]) -> dict[str, list[str]]:
    """Kill at each point, say how many there were, and return what was wrong in the end."""
    server = migrated(Server(VERSIONS["18"], fsync="on", full_page_writes="on"))
    try:
        with house_on(server, folder, **FEW) as house:
            return _uploads(house, say) | _attempts(house, say)
    finally:
        server.stop()


def _uploads(house: House, say: Callable[[str], None]) -> dict[str, list[str]]:
    converting = house.worker(**TIDY)
    files = itertools.count(1)
    sent = []
    for door, insists in (*((door, True) for door in DOORS), ("put", False)):
        died, some = on_the_path_of_an_upload(
            house, door, every(1, 1), files=files, insists=insists
        )
        say(f"{len(died)} points on the path of an upload by {door}")
        sent += some
    impossible = _settled(house)
    with house.client() as client:
        found = judge(sent, house.data, client).faults
    converting.kill()
    return found | impossible


def _attempts(house: House, say: Callable[[str], None]) -> dict[str, list[str]]:
    house.worker(ROWMILL_KINDS="image", **TIDY)  # it sweeps
    died, _ = on_the_path_of_an_attempt(house, every(1, 1))
    say(f"{len(died)} points on the path of an attempt")
    return _settled(house)


def _settled(house: House) -> dict[str, list[str]]:
    """Wait until nothing is open and a sweep has found what the dead had left without a row."""
    poll(lambda: not house.count(status="queued") + house.count(status="running"), seconds=120)
    try:
        poll(lambda: faults(house) == [])
    except AssertionError:
        return {"impossible": faults(house)}
    return {}
