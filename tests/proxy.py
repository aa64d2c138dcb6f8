"""TCP proxies on loopback: one before PostgreSQL that loses answers, one that is a bad network."""

import contextlib
import select
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

CHUNK = 65536
PATIENCE_SECONDS = 30


class _Listener(ABC):
    """Takes connections on a port of its own, each served by a thread until it ends."""

    def __init__(self, port: int, *, backlog: int | None = None) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.port = int(self._listener.getsockname()[1])
        self._clients: set[socket.socket] = set()

    def cut(self) -> None:
        """End every connection, as a network does that was repaired by switching it off and on."""
        for client in list(self._clients):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()

    def _listen(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self._clients.add(client)
        try:
            with (
                contextlib.suppress(OSError),
                client,
                socket.create_connection(self._server) as server,
            ):
                self._forward(client, server)
        finally:
            self._clients.discard(client)

    @abstractmethod
    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        """Pass what comes from either end until the connection is over."""


class Proxy(_Listener):
    """Forwards every byte until told otherwise.

    `lose_answer_to` names bytes of a query whose answer is thrown away, with the connection,
    after the server has done its work. `silent` swallows answers and keeps connections open.
    `half_open` ends the server's side of each connection and does not tell the client, to whom
    everything seems to be sent. `delay_seconds` holds up every piece, in both directions.
    """

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.lose_answer_to: bytes | None = None
        self.silent = threading.Event()
        self.half_open = threading.Event()
        self.delay_seconds = 0.0
        self.lost = 0
        self._listen()

    def url(self, url: str) -> str:
        """Return the same database URL, through this proxy."""
        return url.replace(f":{self._server[1]}/", f":{self.port}/")

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

    `cut` closes both ends, `reset` does so rudely, `vanish` closes the client's alone, so that the
    server waits for one who has gone, `stall` passes nothing more and keeps both, `throttle` passes
    the rest in drops, `half-close` tells the server that no more comes and still passes the answer,
    `deaf` passes the rest and throws away every answer from then on.
    A drop has as many bytes as `pace` says at that moment; about a thousand go in a second.
    """

    kind: str
    after: int
    pace: Callable[[], int] = lambda: 4096


class RoughRoad(_Listener):
    """A TCP proxy on loopback before an HTTP server; `next_fault` is asked for each connection.

    `met` counts the faults that have happened, by kind, and as `endless` the connections that the
    server kept for 30 seconds after its client had ended or had met a fault; they are closed then.
    """

    def __init__(self, port: int, next_fault: Callable[[], Fault | None]) -> None:
        super().__init__(port, backlog=128)
        self._next_fault = next_fault
        # Else the kernel takes in megabytes, which arrive even after their sender has gone.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * CHUNK)
        self.met: Counter[str] = Counter()
        self._listen()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        fault = self._next_fault()
        lane = _Lane(client, server)
        answers = threading.Thread(target=lane.answer, daemon=True)
        answers.start()
        try:
            if fault is None:
                lane.carry()
            elif lane.carry(fault):
                self.met[fault.kind] += 1
                lane.happen(fault)
            answers.join(PATIENCE_SECONDS)
            if answers.is_alive():
                self.met["endless"] += 1
        finally:
            lane.let_go()


class _Lane:
    """One connection over the road, in both directions."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self._client = client
        self._server = server
        self._deaf = threading.Event()

    def carry(self, fault: Fault | None = None) -> bool:
        """Pass what the client sends; True once the fault is due, False at the end."""
        passed = 0
        while piece := self._client.recv(8192 if fault else CHUNK):
            passed += len(piece)
            due = fault is not None and passed >= fault.after
            if fault and due and fault.kind == "deaf":
                self._deaf.set()  # this very piece may be what is answered
            self._server.sendall(piece)
            if due:
                return True
        self._server.shutdown(socket.SHUT_WR)
        return False

    def happen(self, fault: Fault) -> None:
        kind = fault.kind
        match kind:
            case "cut":
                self._client.shutdown(socket.SHUT_RDWR)
                self._server.shutdown(socket.SHUT_RDWR)
            case "reset":
                for end in (self._client, self._server):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self._client.close()
                self.let_go()
            case "vanish":
                self._client.close()
            case "half-close":
                self._server.shutdown(socket.SHUT_WR)
            case "throttle" | "deaf":
                self._client.settimeout(PATIENCE_SECONDS)
                with contextlib.suppress(TimeoutError):
                    while piece := self._client.recv(fault.pace() if kind == "throttle" else CHUNK):
                        self._server.sendall(piece)
                        threading.Event().wait(0.001)

    def answer(self) -> None:
        """Pass what the server says until it ends; `stall` and `vanish` wait for nothing else."""
        with contextlib.suppress(OSError):
            while piece := self._server.recv(CHUNK):
                if not self._deaf.is_set():
                    self._client.sendall(piece)
            self._client.shutdown(socket.SHUT_RDWR)

    def let_go(self) -> None:
        """Wake whoever reads of the server: until then closing it tells the server nothing."""
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RD)


@contextmanager
def rough_road(port: int, next_fault: Callable[[], Fault | None]) -> Iterator[RoughRoad]:
    road = RoughRoad(port, next_fault)
    try:
        yield road
    finally:
        road.close()
