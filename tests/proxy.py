"""TCP proxies on loopback: one before PostgreSQL that loses answers, one that is a bad network."""

import contextlib
import select
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

CHUNK = 65536


class Proxy:
    """Forwards every byte until told otherwise.

    `lose_answer_to` names bytes of a query whose answer is thrown away, with the connection,
    after the server has done its work. `silent` swallows answers and keeps connections open.
    `half_open` ends the server's side of each connection and does not tell the client, to whom
    everything seems to be sent. `delay_seconds` holds up every piece, in both directions.
    """

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.lose_answer_to: bytes | None = None
        self.silent = threading.Event()
        self.half_open = threading.Event()
        self.delay_seconds = 0.0
        self.lost = 0
        self._clients: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        """Return the same database URL, through this proxy."""
        return url.replace(f":{self._server[1]}/", f":{self.port}/")

    def cut(self) -> None:
        """End every connection, as a network does that was repaired by switching it off and on."""
        for client in list(self._clients):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self._clients.add(client)
        try:
            with client, socket.create_connection(self._server) as server:
                self._forward(client, server)
        except OSError:
            return
        finally:
            self._clients.discard(client)

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            readable, _, _ = select.select([client, server], [], [])
            if self.half_open.is_set():
                _swallow(client, server)
                return
            if self.delay_seconds:
                threading.Event().wait(self.delay_seconds)
            if client in readable:
                if not (query := client.recv(CHUNK)):
                    return
                server.sendall(query)
                if self.lose_answer_to is not None and self.lose_answer_to in query:
                    self.lose_answer_to = None
                    server.recv(CHUNK)  # the statement is done and committed
                    self.lost += 1
                    return
            if server in readable:
                if not (answer := server.recv(CHUNK)):
                    return
                if not self.silent.is_set():
                    client.sendall(answer)


def _swallow(client: socket.socket, server: socket.socket) -> None:
    server.close()
    while client.recv(CHUNK):
        pass


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()


class Fault(NamedTuple):
    """What happens to a connection once so many bytes of the client have passed.

    `cut` closes it, `reset` does so rudely, `stall` passes nothing more and keeps it, `throttle`
    passes the rest in drops, `half-close` tells the server that no more comes and still passes the
    answer, `deaf` passes all of it and throws the answer away.
    """

    kind: str
    after: int


class RoughRoad:
    """A TCP proxy on loopback before an HTTP server; `next_fault` is asked for each connection."""

    def __init__(self, port: int, next_fault: Callable[[], Fault | None]) -> None:
        self._server = ("127.0.0.1", port)
        self._next_fault = next_fault
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        # Else the kernel takes in megabytes, which arrive even after their sender has gone.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * CHUNK)
        self.port = int(self._listener.getsockname()[1])
        self.met: Counter[str] = Counter()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        fault = self._next_fault() or Fault("none", 0)
        with (
            contextlib.suppress(OSError),
            client,
            socket.create_connection(self._server) as server,
        ):
            answers = threading.Thread(target=self._answer, args=(server, client, fault))
            answers.start()
            self._carry(client, server, fault)
            answers.join()

    def _carry(self, client: socket.socket, server: socket.socket, fault: Fault) -> None:
        """Pass what the client sends until the fault happens."""
        passed = 0
        while piece := client.recv(CHUNK if fault.kind == "none" else 8192):
            server.sendall(piece)
            passed += len(piece)
            if fault.kind != "none" and passed >= fault.after:
                self.met[fault.kind] += 1
                self._happen(client, server, fault)
                return
        server.shutdown(socket.SHUT_WR)

    def _happen(self, client: socket.socket, server: socket.socket, fault: Fault) -> None:
        match fault.kind:
            case "cut":
                _end(client, server)
            case "reset":
                for end in (client, server):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                _end(client, server)
            case "half-close":
                server.shutdown(socket.SHUT_WR)
            case "stall":
                select.select([server], [], [], 30)  # until the server has had enough
            case "throttle" | "deaf":
                while piece := client.recv(4096 if fault.kind == "throttle" else CHUNK):
                    server.sendall(piece)
                    threading.Event().wait(0.001)

    def _answer(self, server: socket.socket, client: socket.socket, fault: Fault) -> None:
        with contextlib.suppress(OSError):
            while piece := server.recv(CHUNK):
                if fault.kind != "deaf":
                    client.sendall(piece)
            client.shutdown(socket.SHUT_RDWR)


def _end(*ends: socket.socket) -> None:
    for end in ends:
        end.close()


@contextmanager
def rough_road(port: int, next_fault: Callable[[], Fault | None]) -> Iterator[RoughRoad]:
    road = RoughRoad(port, next_fault)
    try:
        yield road
    finally:
        road.close()
