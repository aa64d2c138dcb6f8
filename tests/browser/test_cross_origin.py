"""A page of another site: shut out, unless the operator lets its origin in; then it sees all."""

import functools
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import func, select

from app.api.owners import COOKIE
from app.models import Upload
from tests import samples
from tests.browser.conftest import Open
from tests.polling import poll
from tests.postgres import free_port
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

# What a page of an invited site does: begin, look, send, read the document, be refused, delete.
USE = """async ({ base, bytes, name }) => {
    const tus = { "Tus-Resumable": "1.0.0" };
    const metadata = `filename ${btoa(name)},to ${btoa("webp")}`;
    const headers = {
        ...tus, "Upload-Length": String(bytes.length), "Upload-Metadata": metadata,
        "Idempotency-Key": crypto.randomUUID(),
    };
    const told = (answer, ...names) => names.map((name) => answer.headers.get(name));
    const begun = await fetch(`${base}/uploads`, { method: "POST", headers });
    const [location, token] = told(begun, "Location", "Upload-Manage");
    const address = new URL(location, base).href;
    const looked = await fetch(address, { method: "HEAD", headers: tus });
    const piece = { ...tus, "Content-Type": "application/offset+octet-stream" };
    const body = new Uint8Array(bytes);
    const append = (offset) => {
        const headers = { ...piece, "Upload-Offset": offset };
        return fetch(address, { method: "PATCH", headers, body });
    };
    const refused = await append("1");
    const sent = await append("0");
    const document = await fetch(address);
    const foreign = await fetch(address, { method: "DELETE", headers: tus });
    const owned = { ...tus, Authorization: `Bearer ${token}` };
    const deleted = await fetch(address, { method: "DELETE", headers: owned });
    return {
        begun: begun.status,
        looked: told(looked, "Upload-Offset", "Upload-Length", "Upload-Metadata"),
        refused: [refused.status, (await refused.json()).code, ...told(refused, "Upload-Offset")],
        sent: [sent.status, ...told(sent, "Upload-Offset")],
        document: [(await document.json()).name, ...told(document, "ETag").map(Boolean)],
        foreign: [foreign.status, (await foreign.json()).code],
        deleted: deleted.status,
        metadata,
    };
}"""
TRY = """([address, options]) =>
    fetch(address, options).then(({ status }) => status, ({ name }) => name)
"""


class _Site(BaseHTTPRequestHandler):
    """An empty page of another origin."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><link rel=icon href=data:,><title>Another site</title>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    """The origin of another site: of another host, so that no cookie of ours goes there."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=functools.partial(server.serve_forever, 0.05))
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def inviting(everyones: House, running: House, site: str) -> House:
    """An API of the same house that lets the site in."""
    port = free_port()
    settings = {"ROWMILL_CORS_ORIGINS": site}
    process = everyones.start_api(port, **settings)
    there = replace(running, api_port=port)
    poll(there._api_answers, why=process.log.read_text)
    return there


def test_a_page_of_an_invited_site_sends_a_file_and_reads_every_answer(
    inviting: House, open_page: Open, site: str
) -> None:
    page = open_page(inviting, f"{site}/")
    bytes_ = [*samples.sample("png")]
    base = f"http://127.0.0.1:{inviting.api_port}"
    said = page.evaluate(USE, {"base": base, "bytes": bytes_, "name": "flag.png"})
    size = str(len(bytes_))
    assert said["begun"] == 201
    assert said["looked"] == ["0", size, said["metadata"]]
    assert said["refused"] == [409, "wrong_offset", "0"]
    assert said["sent"] == [204, size]
    assert said["document"] == ["flag.png", True]
    assert said["foreign"] == [403, "not_yours"]
    assert said["deleted"] == 204


def test_a_page_of_any_other_site_is_shut_out(chromium: Browser, running: House, site: str) -> None:
    base = f"http://127.0.0.1:{running.api_port}"
    page = chromium.new_page()
    page.context.add_cookies([{"name": COOKIE, "value": running.visitor, "url": base}])
    page.goto(f"{site}/")
    assert _tried(page, f"{base}/uploads", method="GET") == "TypeError"
    assert _tried(page, f"{base}/uploads/a.txt", method="PUT", body="x") == "TypeError"
    # What needs no leave is sent all the same, and refused there.
    plain = {"method": "POST", "mode": "no-cors", "credentials": "include", "body": "a,b\n1,2\n"}
    before = _uploads(running)
    _tried(page, f"{base}/uploads?name=a.csv", **plain)
    assert _uploads(running) == before
    page.close()


def _tried(page: Page, address: str, **options: str) -> int | str:
    """Return the status that a page is told, or the name of the error it gets instead."""
    told: int | str = page.evaluate(TRY, [address, options])
    return told


def _uploads(house: House) -> int:
    with house.sessions() as session:
        return session.scalar(select(func.count()).select_from(Upload)) or 0
