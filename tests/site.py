"""A web site on loopback that nobody ought to visit."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image

from tests import samples

RED = samples.encoded(Image.new("RGB", (64, 64), "red"), "png")


class Site(ThreadingHTTPServer):
    """Serves a red picture at every address, and remembers who asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Answer)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/red.png"


class _Answer(BaseHTTPRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Site)
        self.server.asked.append("somebody")  # whoever connects, whatever is said then
        super().handle()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(RED)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[Site]:
    with Site() as site:
        serving = threading.Thread(target=site.serve_forever)
        serving.start()
        try:
            yield site
        finally:
            site.shutdown()
            serving.join()
