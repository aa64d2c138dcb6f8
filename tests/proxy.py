"""A TCP proxy on loopback in front of PostgreSQL that loses answers and falls silent."""

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CHUNK = 65536


class Proxy:
    """Forwards every byte until told otherwise.

    `lose_answer_to` names bytes of a query whose answer is thrown away, with the connection,
    after the server has done its work. `silent` swallows answers and keeps connections open.
    """

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.lose_answer_to: bytes | None = None
        self.silent = threading.Event()
        self.lost = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        """Return the same database URL, through this proxy."""
        return url.replace(f":{self._server[1]}/", f":{self.port}/")

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with client, socket.create_connection(self._server) as server:
                self._forward(client, server)
        except OSError:
            return

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            readable, _, _ = select.select([client, server], [], [])
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


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
