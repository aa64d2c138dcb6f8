"""A worker for tests to kill: starts a spawner and cells, says their pids, and waits.

    python -m tests.worker.spawner.hold_cells FOLDER [--OPTION] [HOW…]

`--leak` has a bystander inherit the worker's end of the control channel; its pid comes first.
`--slow` asks for a converter whose import never ends. `--unfiltered` has cells that may fork,
`--pads` cells from which two programs can be started. `--renew` renews the spawner while they
live; the pid of the one before comes first.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path

from app.formats.family import Needs
from tests.worker.spawner.making import MISBEHAVE, PYTHON_PATH, UNFILTERED, task_in
from worker.spawner.client import Spawner


def main() -> None:
    folder, hows = Path(sys.argv[1]), sys.argv[2:]
    if "--slow" in hows:
        path = [str(folder), *PYTHON_PATH]
        threading.Thread(target=_say_once_there_is_a_child, daemon=True).start()
        Spawner(converters=["rowmill_slow:convert"], python_path=path).start()
    convert = UNFILTERED if "--unfiltered" in hows else MISBEHAVE
    spawner = Spawner(converters=[convert], python_path=PYTHON_PATH)
    spawner.start()
    pids: list[int | None] = [_bystander()] if "--leak" in hows else []
    wanted = [how for how in hows if how[0] != "-"]
    more = {"convert": convert, "needs": Needs(programs=2 if "--pads" in hows else 0)}
    tasks = [task_in(folder / str(at), how, **more) for at, how in enumerate(wanted)]
    cells = [spawner.cell(task) for task in tasks]
    if "--renew" in hows:
        pids.append(spawner.pid)
        spawner.renew()
    _say([*pids, spawner.pid, *(cell.pid for cell in cells)])
    threading.Event().wait()


def _bystander() -> int:
    if (pid := os.fork()) == 0:
        time.sleep(60)
        os._exit(0)
    return pid


def _say_once_there_is_a_child() -> None:
    me = os.getpid()
    while not Path(f"/proc/self/task/{me}/children").read_text():
        time.sleep(0.01)
    _say([])


def _say(pids: list[int | None]) -> None:
    sys.stdout.write(json.dumps(pids) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
