"""All results as one zip: of a visitor, of some uploads, of one; whole, in part, or broken off."""

import io
import os
import socket
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import httpx
import pytest
from structlog.testing import capture_logs

from app.api.archive import choice
from app.api.archive.sending import THREADS
from tests.app.api.conftest import PNG, Service
from tests.app.api.people import ELSEWHERE, PAGE, Visit, sent, visit
from tests.app.api.test_names import assert_harmless, hostile_names
from tests.app.ingest.lab import open_files_in
from tests.polling import poll

__all__ = ["visit"]

ALL = "/uploads/results.zip"
MIB = 1024**2


@pytest.fixture
def service(service: Service) -> Service:
    service.hire()
    return service


def made(service: Service, client: httpx.Client, content: bytes, name: str = "photo.png") -> Any:
    """Send a file and convert it; return its document."""
    document = sent(client, name)
    service.convert(content)
    return document


def opened(answer: httpx.Response) -> ZipFile:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-length"] == str(len(answer.content))
    found = ZipFile(io.BytesIO(answer.content))
    assert found.testzip() is None
    return found


def contents(answer: httpx.Response) -> dict[str, bytes]:
    with opened(answer) as found:
        return {name: found.read(name) for name in found.namelist()}


def test_it_has_all_that_a_visitor_has_made_newest_first(service: Service, visit: Visit) -> None:
    client = visit()
    made(service, client, b"one", "a.png")
    path = made(service, client, b"two", "a.png")["links"]["self"]
    client.post(f"{path}/jobs", json={"to": "jpg"})
    service.convert(b"three")
    sent(client, "still.png")
    answer = client.get(ALL)
    expected = {"a.webp": b"two", "a.jpg": b"three", "a (2).webp": b"one"}
    assert contents(answer) == expected
    assert list(contents(answer)) == list(expected)
    headers = answer.headers
    assert headers["content-type"] == "application/zip"
    assert headers["content-disposition"].startswith('attachment; filename="results.zip"')
    assert headers["cache-control"] == "private, no-store"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["x-content-type-options"] == "nosniff"


def test_some_can_be_chosen_and_only_of_ones_own(service: Service, visit: Visit) -> None:
    client, other = visit(), visit()
    ids = [made(service, client, b"mine", f"{name}.png")["id"] for name in "abc"]
    theirs = made(service, other, b"theirs")["id"]
    chosen = client.get(ALL, params={"upload": [ids[0], ids[2]]})
    assert list(contents(chosen)) == ["c.webp", "a.webp"]
    for foreign in (theirs, str(uuid4()), "nonsense"):
        answer = client.get(ALL, params={"upload": [ids[0], foreign]})
        assert (answer.status_code, answer.json()["code"]) == (404, "upload_unknown")
        assert "mine" not in answer.text


def test_who_has_nothing_hears_what_to_do(service: Service, visit: Visit) -> None:
    client, program = visit(), visit(None)
    made(service, program, b"of a program")
    waiting = sent(client)["id"]
    for who, where in (
        (client, ALL),
        (program, ALL),
        (client, f"{ALL}?upload={waiting}"),
        (client, f"/uploads/{waiting}/results.zip"),
    ):
        answer = who.get(where)
        assert (answer.status_code, answer.json()["code"]) == (404, "no_results")
        assert answer.json()["hint"]
    page = client.get(ALL, headers=PAGE)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert visit(**ELSEWHERE).get(ALL).status_code == 404


def test_one_upload_can_be_had_by_whoever_knows_it(service: Service, visit: Visit) -> None:
    path = made(service, visit(), b"one", "größe.png")["links"]["self"]
    stranger = visit()
    stranger.post(f"{path}/jobs", json={"to": "jpg"})
    answer = stranger.get(f"{path}/results.zip")
    assert contents(answer) == {"größe.webp": b"one"}
    assert "filename*=UTF-8''gr%C3%B6%C3%9Fe.zip" in answer.headers["content-disposition"]
    assert stranger.get(f"/uploads/{uuid4()}/results.zip").json()["code"] == "upload_unknown"


def test_what_was_deleted_is_not_in_it(service: Service, visit: Visit) -> None:
    client = visit()
    path = made(service, client, b"one", "a.png")["links"]["self"]
    made(service, client, b"two", "b.png")
    assert client.delete(path).status_code == 204
    assert contents(client.get(ALL)) == {"b.webp": b"two"}
    assert client.get(f"{path}/results.zip").json()["code"] == "deleted"


def test_head_tells_what_get_would_send(service: Service, visit: Visit) -> None:
    client = visit()
    path = made(service, client, b"0123456789")["links"]["self"]
    for where in (ALL, f"{path}/results.zip"):
        head, whole = client.head(where), client.get(where)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-length", "content-type", "content-disposition", "etag"):
            assert head.headers[name] == whole.headers[name]


def test_a_download_that_was_cut_goes_on(service: Service, visit: Visit) -> None:
    client = visit()
    for content in (os.urandom(MIB), os.urandom(MIB + 7)):
        made(service, client, content)
    whole = client.get(ALL)
    tag = {"If-Range": whole.headers["etag"]}
    rest = client.get(ALL, headers={"Range": "bytes=1500000-", **tag})
    assert (rest.status_code, rest.content) == (206, whole.content[1_500_000:])
    size = len(whole.content)
    assert rest.headers["content-range"] == f"bytes 1500000-{size - 1}/{size}"
    middle = client.get(ALL, headers={"Range": "bytes=10-19"})
    assert (middle.status_code, middle.content) == (206, whole.content[10:20])
    last = client.get(ALL, headers={"Range": "bytes=-22"})
    assert (last.content[:4], last.content) == (b"PK\5\6", whole.content[-22:])
    assert client.get(ALL, headers={"Range": f"bytes={size}-"}).status_code == 416
    several = client.get(ALL, headers={"Range": "bytes=0-1,5-6"})
    assert (several.status_code, several.content) == (200, whole.content)
    made(service, client, b"new")
    other = client.get(ALL, headers={"Range": "bytes=1500000-", **tag})
    assert (other.status_code, len(contents(other))) == (200, 3)


def test_hostile_names_are_harmless_and_unique_in_it(service: Service, visit: Visit) -> None:
    client = visit()
    given = hostile_names(60)
    for name in given:
        made(service, client, name.encode("utf-8", "replace"), name)
    with opened(client.get(ALL)) as found:
        names = found.namelist()
        for one in found.infolist():
            assert_harmless(one.filename)
            assert not one.is_dir()
            assert one.filename not in {".", ".."}
    assert len({name.casefold() for name in names}) == len(given)


def test_a_result_that_is_lost_is_named_in_a_note_and_the_others_are_there(
    service: Service, visit: Visit
) -> None:
    client = visit()
    made(service, client, b"one", "missing.png")
    sent(client, "b.png")
    service.storage.remove(service.convert())
    found = contents(client.get(ALL))
    assert list(found) == ["missing.webp", "missing.txt"]
    assert "b.webp" in found["missing.txt"].decode()


def test_if_all_are_lost_there_is_no_zip(service: Service, visit: Visit) -> None:
    client = visit()
    path = sent(client)["links"]["self"]
    service.storage.remove(service.convert())
    for where in (ALL, f"{path}/results.zip"):
        answer = client.get(where)
        assert (answer.status_code, answer.json()["code"]) == (410, "result_gone")


def test_too_many_are_refused_with_a_way_out(
    service: Service, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "MOST", 2)
    client = visit()
    ids = [made(service, client, b"x")["id"] for _ in range(3)]
    answer = client.get(ALL)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_results")
    assert len(contents(client.get(ALL, params={"upload": ids[:2]}))) == 2
    many = client.get(ALL, params={"upload": [str(uuid4())] * 1001})
    assert (many.status_code, many.json()["code"]) == (400, "bad_request")


class Reader:
    """A client that reads as little as it likes of a zip."""

    def __init__(self, client: httpx.Client, path: str) -> None:
        url, cookie = client.base_url, client.cookies["rowmill_owner"]
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.socket.connect((url.host, url.port or 80))
        lines = [f"GET {path} HTTP/1.1", f"Host: {url.host}", f"Cookie: rowmill_owner={cookie}"]
        lines.append("Connection: close")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        got = b""
        while not got.partition(b"\r\n\r\n")[2]:  # then a file is open
            got += self.socket.recv(4096)
        self.head, _, self.body = got.partition(b"\r\n\r\n")

    @property
    def length(self) -> int:
        return int(self.head.lower().split(b"content-length: ")[1].split()[0])

    def rest(self) -> int:
        """Read until the server closes the connection; return how much of the zip has come."""
        count = len(self.body)
        with self.socket:
            while piece := self.socket.recv(MIB):
                count += len(piece)
        return count


def is_read(service: Service) -> bool:
    return bool(open_files_in(service.settings.data / "results"))


def test_a_client_that_goes_away_ends_it_and_nobody_holds_a_seat_meanwhile(
    service: Service, visit: Visit
) -> None:
    client = visit()
    made(service, client, os.urandom(48 * MIB))
    readers = [Reader(client, ALL) for _ in range(THREADS + 1)]
    assert is_read(service)
    poll(lambda: service.app.state.parts.database.seats_in_use == 0)
    assert is_read(service)
    assert client.get("/uploads").status_code == 200
    for reader in readers:
        reader.socket.close()
    poll(lambda: not is_read(service))


def test_a_file_that_vanishes_meanwhile_breaks_the_zip_off_so_that_the_client_notices(
    service: Service, visit: Visit
) -> None:
    client = visit()
    sent(client, "older.png")
    key = service.convert(b"older")
    made(service, client, os.urandom(48 * MIB))
    with capture_logs() as logs:
        reader = Reader(client, ALL)
        service.storage.remove(key)
        assert 32 * MIB < reader.rest() < reader.length
        poll(lambda: "archive.broken_off" in {line["event"] for line in logs})
    assert "request.crashed" not in {line["event"] for line in logs}
    assert contents(client.get(ALL))["missing.txt"]


def test_a_download_goes_on_though_what_it_reads_is_deleted(service: Service, visit: Visit) -> None:
    client = visit()
    path = made(service, client, os.urandom(48 * MIB))["links"]["self"]
    reader = Reader(client, ALL)
    assert client.delete(path).status_code == 204
    assert reader.rest() == reader.length


def test_it_stands_in_the_description(service: Service) -> None:
    paths = service.client.get("/openapi.json").json()["paths"]
    for path in (ALL, "/uploads/{upload_id}/results.zip"):
        answers = paths[path]["get"]["responses"]
        assert "application/zip" in answers["200"]["content"]
    (parameter,) = paths[ALL]["get"]["parameters"]
    assert parameter["name"] == "upload"


def test_a_name_like_that_can_still_be_uploaded(service: Service) -> None:
    answer = service.client.put(ALL, content=PNG)
    assert answer.status_code == 202
