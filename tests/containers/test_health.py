"""The health checks of the images tell a service that is well from one that is not."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.containers.dockerfile import command, parsed
from tests.polling import poll
from tests.postgres import Server
from tests.system.house import FEW, house_on
from worker import scratch
from worker.name import host

ROOT = Path(__file__).parents[2]
LINES = parsed((ROOT / "Dockerfile").read_text())


def is_well(target: str, **settings: str) -> bool:
    """Run the health check of an image as the engine would, with this Python."""
    [line] = [line for line in LINES if (line.stage, line.word) == (target, "HEALTHCHECK")]
    words = command(line)
    assert words is not None
    assert words[0] == "python"
    environ = {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", **settings}
    done = subprocess.run(
        [sys.executable, *words[1:]], env=environ, capture_output=True, check=False, timeout=120
    )
    return done.returncode == 0


@contextmanager
def api_that_answers(status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield str(server.server_port)
        server.shutdown()
        serving.join()


@pytest.mark.parametrize(("status", "well"), [(200, True), (503, False)])
def test_an_api_is_well_when_it_says_so(status: int, *, well: bool) -> None:
    with api_that_answers(status) as port:
        assert is_well("api", ROWMILL_PORT=port) is well


def test_an_api_that_does_not_answer_is_not_well() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        assert not is_well("api", ROWMILL_PORT=str(held.getsockname()[1]))


def test_the_check_of_an_api_goes_through_no_proxy() -> None:
    with api_that_answers(200) as port:
        assert is_well("api", ROWMILL_PORT=port, http_proxy="http://127.0.0.1:1")


def test_a_worker_that_signed_just_now_is_well(tmp_path: Path) -> None:
    _sign(tmp_path, f"{host()}-00000001", age=0)
    assert is_well("worker", ROWMILL_SCRATCH=str(tmp_path))


def test_a_worker_that_was_silent_for_a_lease_is_not_well(tmp_path: Path) -> None:
    _sign(tmp_path, f"{host()}-00000001", age=61)
    assert not is_well("worker", ROWMILL_SCRATCH=str(tmp_path))
    assert is_well("worker", ROWMILL_SCRATCH=str(tmp_path), ROWMILL_LEASE_SECONDS="120")


def test_a_worker_that_never_signed_is_not_well(tmp_path: Path) -> None:
    assert not is_well("worker", ROWMILL_SCRATCH=str(tmp_path))


@pytest.mark.parametrize("other", ["elsewhere", f"{host()}-2"])
def test_the_sign_of_another_host_counts_for_nothing(tmp_path: Path, other: str) -> None:
    _sign(tmp_path, f"{other}-00000001", age=0)
    assert not is_well("worker", ROWMILL_SCRATCH=str(tmp_path))


def test_a_worker_that_was_started_again_on_its_host_is_well(tmp_path: Path) -> None:
    _sign(tmp_path, f"{host()}-00000001", age=3600)
    _sign(tmp_path, f"{host()}-00000002", age=1)
    assert is_well("worker", ROWMILL_SCRATCH=str(tmp_path))


@pytest.mark.system
def test_a_running_worker_is_well_and_a_frozen_one_is_not(postgres: Server, tmp_path: Path) -> None:
    with house_on(postgres, tmp_path, **FEW, ROWMILL_LEASE_SECONDS="4") as house:
        worker = house.worker()
        known = house.settings | {"ROWMILL_DATA": str(house.data)}
        poll(lambda: is_well("worker", **known), why=house.logs)
        worker.send(signal.SIGSTOP)
        poll(lambda: not is_well("worker", **known))
        worker.send(signal.SIGCONT)
        poll(lambda: is_well("worker", **known), why=house.logs)


def _sign(scratch_folder: Path, worker: str, *, age: float) -> None:
    mine = scratch.prepare(scratch_folder / "house", scratch_folder, worker=worker)
    scratch.sign(mine)
    when = (mine / "alive").stat().st_mtime - age
    os.utime(mine / "alive", (when, when))
