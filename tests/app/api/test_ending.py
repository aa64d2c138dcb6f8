"""A server that is told to end does not keep those who wait, nor itself, waiting."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests import plain
from tests.app.api.conftest import PNG
from tests.polling import poll
from tests.postgres import free_port

PROGRAM = """
import sys, uvicorn
from pathlib import Path
from app.main import create_app
from app.settings import Settings
app = create_app(Settings(database_url=sys.argv[1], data=Path(sys.argv[2])))
uvicorn.run(app, port=int(sys.argv[3]), log_config=None, timeout_graceful_shutdown=50)
"""


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def process(database_url: str, tmp_path: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    arguments = [database_url, str(tmp_path / "data"), str(port)]
    root = Path(__file__).parents[3]
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], cwd=root)
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_waits_is_answered_when_the_server_ends(
    process: "subprocess.Popen[bytes]", port: int, number: int
) -> None:
    url = f"http://127.0.0.1:{port}"
    poll(lambda: answers(url))
    path = plain.post(f"{url}/uploads", content=PNG).json()["links"]["self"]
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(plain.get, url + path, headers={"Prefer": "wait=45"}, timeout=60)
        poll(lambda: "rowmill_long_polls 1.0" in plain.get(f"{url}/metrics").text)
        began = time.monotonic()
        os.kill(process.pid, number)
        assert held.result(60).status_code == 200
        process.wait(60)
    assert time.monotonic() - began < 20


def answers(url: str) -> bool:
    try:
        return plain.get(f"{url}/healthz").status_code == 200
    except httpx.TransportError:
        return False
