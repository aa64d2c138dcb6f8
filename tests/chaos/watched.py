"""Processes that stand still at a point of their path, and who dies then."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from tests.chaos.scene import SHIM, cells_of, is_over, spawners_of
from tests.chaos.strikes import kill_server
from tests.polling import poll
from tests.system.house import PLUGIN, ROOT, House, Process

# Who dies while a process, or a cell of it, stands still.
Death = Callable[[House, Process], None]


def of_itself(house: House, process: Process) -> None:
    process.kill()


def of_its_spawner(house: House, process: Process) -> None:
    _kill(spawners_of(process.pid))


def of_its_cell(house: House, process: Process) -> None:
    _kill(cells_of(process.pid))


def of_postgres(house: House, process: Process) -> None:
    """Every process of the server dies at once; it is there again before anybody goes on."""
    assert kill_server(house.server)


@dataclass(frozen=True)
class Watched:
    """A process whose points are counted: it stands still at the one it is armed for."""

    process: Process
    log: Path

    def arm(self, at: int) -> None:
        Path(f"{self.log}.at").write_text(str(at))
        before = self._times_armed()
        self.process.send(signal.SIGUSR1)
        poll(lambda: self._times_armed() > before)

    def go_on(self) -> None:
        self.process.send(signal.SIGCONT)

    def stands_still(self) -> bool:
        return _stands_still(psutil.Process(self.process.pid))

    def is_dead(self) -> bool:
        return self.process.popen.poll() is not None

    def last_point(self) -> str:
        return _last_line(self.log)

    def cells_that_stand_still(self) -> list[psutil.Process]:
        return [cell for cell in cells_of(self.process.pid) if _stands_still(cell)]

    def let_its_cells_go_on(self) -> None:
        for cell in self.cells_that_stand_still():
            cell.resume()

    def last_point_of_its_cell(self, house: House) -> str:
        (log,) = (house.data / "scratch").glob(f"*/{self.process.worker}/*/points")
        return _last_line(log)

    def _times_armed(self) -> int:
        return self.log.read_text().count("armed")


def api(house: House) -> Watched:
    return _begin(house, lambda ours: house.api(**ours))


def worker(house: House) -> Watched:
    """Start a worker of one slot, whose cells have points, too."""
    settings = {"ROWMILL_KINDS": "misbehave", "ROWMILL_SLOTS": "1"}
    return _begin(house, lambda ours: house.worker(**ours, **settings))


def _begin(house: House, start: Callable[[dict[str, str]], Process]) -> Watched:
    log = house.folder / f"points-{len(house.processes)}"
    path = f"{SHIM}:{PLUGIN}:{ROOT}"
    return Watched(start({"PYTHONPATH": path, "CHAOS_POINTS": str(log)}), log)


def _stands_still(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def _last_line(log: Path) -> str:
    return log.read_text().splitlines()[-1]


def _kill(processes: list[psutil.Process]) -> None:
    assert processes, "nobody is there to die"
    for process in processes:
        process.kill()
        poll(partial(is_over, process))
