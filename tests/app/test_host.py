"""Whatever a machine is called, its name can stand in a path and in a session's name."""

import os
import socket

import pytest

from app.api.database import Database
from app.host import UNNAMED, plain_host
from worker.name import new_name


@pytest.mark.parametrize(
    ("called", "plain"),
    [
        ("pod-7.example", "pod-7.example"),
        ("../-höhe\x1b[1m/٣", "hhe1m"),
        ("x" * 64, "x" * 20),
        ("", UNNAMED),
        ("主機", UNNAMED),
    ],
    ids=ascii,
)
def test_only_plain_signs_are_left_of_a_name(
    monkeypatch: pytest.MonkeyPatch, called: str, plain: str
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: called)
    assert plain_host(20) == plain


def test_an_api_and_a_worker_call_their_machine_alike(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "höhe-1")
    api = Database(database_url, open_up=lambda _: None)
    try:
        with api.engine.connect() as connection:
            name = str(connection.exec_driver_sql("SHOW application_name").scalar())
    finally:
        api.close()
    assert name.startswith(f"rowmill api hhe-1-{os.getpid()}-")
    assert new_name().startswith("hhe-1-")
