"""A fault of the rough road is seen at each end as what it is called, and not before its time."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

import pytest

from tests.proxy import Fault, rough_road

SENT = b"x" * 400_000
AFTER = 100_000
EARLY, LATE = b"early", b"late"


class Seen(NamedTuple):
    """How many bytes came to one end, and how they ended: `end`, `reset` or `silence`."""

    size: int
    how: str


def read(connection: socket.socket, *, patience: float) -> Seen:
    """Read to the end, or until nothing has come for so many seconds."""
    connection.settimeout(patience)
    size = 0
    try:
        while piece := connection.recv(65536):
            size += len(piece)
    except TimeoutError:
        return Seen(size, "silence")
    except ConnectionResetError:
        return Seen(size, "reset")
    return Seen(size, "end")


def serve(listener: socket.socket) -> Seen:
    """Answer the first byte, read all, answer again; say what was seen."""
    connection, _ = listener.accept()
    with connection:
        assert connection.recv(1)
        connection.sendall(EARLY)
        seen = read(connection, patience=1)
        with suppress(OSError):
            connection.sendall(LATE)
    return seen


def send(client: socket.socket) -> Seen:
    """Wait for the first answer, send the rest, and say what was seen of the second."""
    client.sendall(SENT[:1])
    assert client.recv(len(EARLY)) == EARLY
    with suppress(OSError):
        client.sendall(SENT[1:])
    return read(client, patience=10)


@pytest.mark.parametrize(
    ("kind", "server_sees", "client_sees", "is_answered"),
    [
        ("cut", "end", {"end", "reset"}, False),
        ("reset", "reset", {"reset"}, False),
        ("vanish", "silence", {"end", "reset"}, False),
        ("half-close", "end", {"end"}, True),
        ("stall", "silence", {"end", "reset"}, True),
        ("throttle", "silence", {"end"}, True),
        ("deaf", "silence", {"end"}, False),
    ],
)
def test_each_end_sees_the_fault(
    kind: str, server_sees: str, client_sees: set[str], is_answered: bool
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        rough_road(listener.getsockname()[1], lambda: Fault(kind, AFTER)) as road,
        ThreadPoolExecutor(1) as thread,
        socket.create_connection(("127.0.0.1", road.port)) as client,
    ):
        serving = thread.submit(serve, listener)
        at_the_client = send(client)
        at_the_server = serving.result()
    assert road.met == {kind: 1}
    assert at_the_server.how == server_sees
    assert (at_the_server.size == len(SENT) - 1) == (kind in {"throttle", "deaf"})
    assert at_the_server.size >= AFTER - 1 or server_sees == "reset"
    assert at_the_client.how in client_sees
    assert (at_the_client.size == len(LATE)) == is_answered
