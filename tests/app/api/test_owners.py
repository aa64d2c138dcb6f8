"""An upload can be changed by the browser that sent it, or with its token, and by nobody else."""

import base64
import hashlib
import hmac
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from app.api.owners import COOKIE, HEADER
from app.models import Job, Upload
from tests.app.api.conftest import Service
from tests.app.api.people import PAGE, Visit, bearer, row, sent, serve, service, visit

__all__ = ["serve", "service", "visit"]

TUS = {"Tus-Resumable": "1.0.0"}
# Job 1 runs, job 2 is cancelled: each of these changes something.
CHANGES = {
    "add": ("POST", "{path}/jobs", {}),
    "again": ("POST", "{path}/jobs/2/again", {}),
    "cancel": ("POST", "{path}/jobs/1/cancel", {}),
    "cancel all": ("POST", "{path}/cancel", {}),
    "delete": ("DELETE", "{path}", {}),
    "terminate": ("DELETE", "{path}", TUS),
    "override": ("POST", "{path}", {**TUS, "X-HTTP-Method-Override": "DELETE"}),
    "delete by form": ("POST", "{path}/delete", {}),
}


def offered(service: Service, client: httpx.Client) -> Any:
    """Send a file of which one job is queued and one cancelled."""
    document = sent(client, to=["webp", "jpg"])
    path = document["links"]["self"]
    stopped = client.post(f"{path}/jobs/2/cancel", headers=bearer(document["manage"]))
    assert stopped.status_code == 200, stopped.text
    return document


def ask(client: httpx.Client, change: str, document: Any, **headers: str) -> httpx.Response:
    method, path, own = CHANGES[change]
    address = path.format(path=document["links"]["self"])
    return client.request(method, address, headers={**own, **headers})


def standing(service: Service, document: Any) -> Any:
    with service.sessions() as session:
        jobs = session.execute(
            select(Job.number, Job.status).where(Job.upload_id == document["id"]).order_by(Job.id)
        ).all()
    return row(service, document).deleted_at, jobs


def assert_done(
    service: Service, client: httpx.Client, change: str, document: Any, **headers: str
) -> None:
    before = standing(service, document)
    answer = ask(client, change, document, **headers)
    assert answer.status_code < 400, f"{change}: {answer.text}"
    assert standing(service, document) != before


def test_the_browser_that_sent_it_may(service: Service, visit: Visit) -> None:
    client = visit()
    for change in CHANGES:
        assert_done(service, client, change, offered(service, client))


def test_whoever_has_the_token_may(service: Service, visit: Visit) -> None:
    owner, other = visit(), visit(None)
    for change in CHANGES:
        for header, scheme in (("Authorization", "bearer "), (HEADER, "")):
            document = offered(service, owner)
            given = {header: scheme + document["manage"]}
            assert_done(service, other, change, document, **given)


def test_nobody_else_may(service: Service, visit: Visit) -> None:
    owner, other, program = visit(), visit(), visit(None)
    document = offered(service, owner)
    before = standing(service, document)
    kept, others, cookie = row(service, document), sent(other), owner.cookies[COOKIE]
    basic = base64.b64encode(f"x:{document['manage']}".encode()).decode()
    strangers: dict[str, tuple[httpx.Client, dict[str, str]]] = {
        "nothing": (program, {}),
        "another's cookie": (other, {}),
        "another upload's token": (program, bearer(others["manage"])),
        "both of these": (other, bearer(others["manage"])),
        "the id": (program, bearer(document["id"])),
        "the digest of the token": (program, bearer(str(kept.manage))),
        "the digest of the cookie": (program, bearer(str(kept.owner))),
        "most of that as a cookie": (visit(str(kept.owner)[:43]), {}),
        "the cookie as a token": (program, bearer(cookie)),
        "the token as a cookie": (visit(document["manage"]), {}),
        "the token as a password": (program, {"Authorization": f"Basic {basic}"}),
        "the token without a scheme": (program, {"Authorization": document["manage"]}),
        "the token by another scheme": (program, {"Authorization": f"Token {document['manage']}"}),
        "an empty token": (program, {"Authorization": "Bearer"}),
        "an empty header": (program, {HEADER: ""}),
    }
    for change in CHANGES:
        for who, (client, headers) in strangers.items():
            answer = ask(client, change, document, **headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_yours"), who
            assert "Authorization: Bearer" in answer.json()["hint"]
    assert standing(service, document) == before


def test_what_a_program_sent_is_no_other_programs(service: Service, visit: Visit) -> None:
    """Neither has a cookie: two that show nothing are not the same."""
    document = offered(service, visit(None))
    assert row(service, document).owner is None
    for change in CHANGES:
        assert ask(visit(None), change, document).json()["code"] == "not_yours"


def test_what_came_before_there_were_owners_is_open_to_whoever_has_the_address(
    service: Service, visit: Visit
) -> None:
    owner, other = visit(), visit(None)
    for change in CHANGES:
        document = offered(service, owner)
        with service.sessions.begin() as session:
            session.execute(update(Upload).values(owner=None, manage=None))
        assert_done(service, other, change, document)


def test_what_is_gone_is_said_to_be_gone_and_what_never_was_too(
    service: Service, visit: Visit
) -> None:
    document = offered(service, visit())
    assert ask(visit(None), "delete", document, **bearer(document["manage"])).status_code == 204
    assert ask(visit(None), "cancel", document).json()["code"] == "deleted"
    nowhere = {"links": {"self": "/uploads/00000000-0000-4000-8000-000000000000"}}
    assert ask(visit(None), "delete", nowhere).json()["code"] == "upload_unknown"


def test_the_address_is_enough_to_read(service: Service, visit: Visit) -> None:
    service.hire()
    document = sent(visit())
    service.convert(b"RIFF....WEBPresult")
    path, stranger = document["links"]["self"], visit(None)
    answers = [stranger.get(path), stranger.head(path), stranger.get(path, headers=PAGE)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert stranger.get(f"{path}/result").content == b"RIFF....WEBPresult"


def test_the_address_is_enough_to_go_on_with_an_upload_and_not_to_end_it(visit: Visit) -> None:
    made = visit().post("/uploads", headers={**TUS, "Upload-Length": "70"})
    path, stranger = made.headers["location"], visit(None, **TUS)
    assert stranger.head(path).headers["upload-offset"] == "0"
    headers = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    assert stranger.patch(path, content=b"\x89PNG", headers=headers).status_code == 204
    assert stranger.delete(path).json()["code"] == "not_yours"
    token = made.headers[HEADER]
    assert stranger.delete(path, headers=bearer(token)).status_code == 204


def test_only_digests_are_kept(service: Service, visit: Visit) -> None:
    client = visit()
    document = sent(client)
    kept = row(service, document)
    secrets = (client.cookies[COOKIE], document["manage"])
    assert (kept.owner, kept.manage) == tuple(
        hashlib.sha256(secret.encode()).hexdigest() for secret in secrets
    )


def test_cookie_and_token_are_compared_in_constant_time(
    service: Service, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = visit()
    document = sent(client)
    kept, compared = row(service, document), set()

    def compare(shown: str, wanted: str) -> bool:
        compared.add(wanted)
        return real(shown, wanted)

    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", compare)
    for headers in ({}, bearer(document["manage"])):
        visit(**headers).post(f"{document['links']['self']}/cancel")
    assert compared == {kept.owner, kept.manage}
