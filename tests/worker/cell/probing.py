"""Runs the probe in one cell, against targets that really are there."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from worker.outcome import Converted
from worker.spawner.client import Spawner, Task

HERE = Path(__file__).parent
PYTHON_PATH = [str(HERE / "converters"), str(HERE.parents[1] / "plugin")]
SECRET = "postgresql://rowmill:secret@127.0.0.1/rowmill"
NOBODY = 65534
Table = dict[str, str]

# Root may do more where nothing holds it back, so every table is that of two users.
USERS = [0, NOBODY] if os.getuid() == 0 else [os.getuid()]


def probe(layers: str, uid: int, *, dumpable: bool = True) -> Table:
    """Return what came of each attempt in a cell of this user, with these layers."""
    with ExitStack() as stack:
        scratch, targets = stack.enter_context(_targets(uid, dumpable=dumpable))
        spawner = stack.enter_context(spawner_of(uid, f"rowmill_weak:{layers}"))
        task = task_of(scratch, f"rowmill_weak:{layers}", options=targets)
        cell = stack.enter_context(spawner.cell(task))
        assert cell.wait(timeout=60)
        outcome = cell.outcome()
    assert isinstance(outcome, Converted), outcome
    table: Table = outcome.facts["table"]
    return table


@contextmanager
def spawner_of(uid: int, *converters: str) -> Iterator[Spawner]:
    """Yield a spawner that runs as this user."""
    change = [] if uid == os.getuid() else ["rowmill_nobody:convert"]
    spawner = Spawner(converters=[*converters, *change], python_path=PYTHON_PATH)
    spawner.start()
    try:
        assert set(spawner.ready.values()) == {None}, spawner.ready
        yield spawner
    finally:
        spawner.stop()


def task_of(scratch: Path, convert: str, **changes: Any) -> Task:
    """Return a task in a scratch folder in which `input.png` links to the source."""
    values: dict[str, Any] = {
        "convert": convert,
        "scratch": scratch,
        "source": "input.png",
        "target": "output.nap",
        "source_format": "png",
        "target_format": "nap",
        "options": {},
        "limits": {},
        "memory_bytes": 1024**3,
        "cpu_seconds": 60,
        "file_bytes": 10 * 1024**2,
    }
    return Task(**values | changes)


@contextmanager
def house_of(uid: int) -> Iterator[Path]:
    """Yield a scratch folder of this user, beside a source that it links to and may write."""
    folder = Path(tempfile.mkdtemp(prefix="rowmill-test-"))  # pytest's own is closed to others
    try:
        folder.chmod(0o755)
        (folder / "data").mkdir()
        (folder / "data" / "source").write_bytes(b"a picture")
        (folder / "secret").write_text(SECRET)
        (folder / "scratch" / "mine").mkdir(parents=True)
        (folder / "scratch" / "mine" / "input.png").symlink_to(folder / "data" / "source")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid, -1, follow_symlinks=False)
        yield folder / "scratch" / "mine"
    finally:
        shutil.rmtree(folder)


@contextmanager
def _targets(uid: int, *, dumpable: bool) -> Iterator[tuple[Path, dict[str, Any]]]:
    with ExitStack() as stack:
        scratch = stack.enter_context(house_of(uid))
        folder = scratch.parents[1]
        victim = stack.enter_context(_victim(uid, dumpable=dumpable))
        tcp = stack.enter_context(_listening(socket.AF_INET, ("127.0.0.1", 0)))
        udp = stack.enter_context(_bound(socket.AF_INET, ("127.0.0.1", 0)))
        stack.enter_context(_listening(socket.AF_UNIX, str(folder / "stream")))
        stack.enter_context(_bound(socket.AF_UNIX, str(folder / "datagram")))
        abstract = f"\0rowmill-test-{os.getpid()}-{scratch.parent.parent.name}"
        stack.enter_context(_listening(socket.AF_UNIX, abstract))
        for path in (folder / "stream", folder / "datagram"):
            path.chmod(0o777)
        yield (
            scratch,
            victim
            | {
                "input": str(folder / "data" / "source"),
                "secret": str(folder / "secret"),
                "beside": str(scratch.parent),
                "tcp": tcp.getsockname()[1],
                "udp": udp.getsockname()[1],
                "unix": str(folder / "stream"),
                "datagram": str(folder / "datagram"),
                "abstract": abstract,
            },
        )


@contextmanager
def _victim(uid: int, *, dumpable: bool) -> Iterator[dict[str, Any]]:
    command = [sys.executable, str(HERE / "victim.py"), str(uid), str(int(dumpable))]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"ROWMILL_TEST_SECRET": SECRET},
    ) as process:
        assert process.stdout
        yield {"victim": process.pid, **json.loads(process.stdout.readline())}


def _listening(family: int, address: Any) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.bind(address)
    made.listen()
    return made


def _bound(family: int, address: Any) -> socket.socket:
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind(address)
    return made
