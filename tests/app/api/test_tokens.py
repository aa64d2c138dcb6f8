"""The token is told to whoever makes an upload, whichever way, and in no other answer."""

import re
import uuid
from typing import Any

import httpx
from sqlalchemy import func, select, text

from app.api.owners import HEADER
from app.models import IdempotencyKey, Upload
from tests.app.api.conftest import PNG, Service
from tests.app.api.people import ELSEWHERE, PAGE, Visit, bearer, sent, serve, service, visit

__all__ = ["serve", "service", "visit"]

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
PIECES = {"Content-Type": "application/offset+octet-stream"}
TUS = {"Tus-Resumable": "1.0.0", "Upload-Length": str(len(PNG))}


def part(client: httpx.Client) -> str:
    """Return the address of a whole partial upload."""
    headers = {**TUS, **PIECES, "Upload-Concat": "partial"}
    return str(client.post("/uploads", content=PNG, headers=headers).headers["location"])


WAYS: dict[str, Any] = {
    "raw": lambda client, headers: client.post("/uploads?name=a.png", content=PNG, headers=headers),
    "form": lambda client, headers: client.post(
        "/uploads", files={"file": ("a.png", PNG)}, headers=headers
    ),
    "put": lambda client, headers: client.put("/uploads/a.png", content=PNG, headers=headers),
    "in time": lambda client, headers: client.put(
        "/uploads/a.png?wait=0.1", content=PNG, headers=headers
    ),
    "from a page": lambda client, headers: client.post(
        "/uploads", files={"file": ("a.png", PNG)}, headers={**PAGE, **headers}
    ),
    "tus": lambda client, headers: client.post("/uploads", headers={**TUS, **headers}),
    "tus with bytes": lambda client, headers: client.post(
        "/uploads", content=PNG, headers={**TUS, **PIECES, **headers}
    ),
    "tus joined": lambda client, headers: client.post(
        "/uploads",
        headers={
            "Tus-Resumable": "1.0.0",
            "Upload-Concat": f"final;{part(client)}",
            **headers,
        },
    ),
}


def test_the_answer_that_makes_an_upload_has_its_token(visit: Visit) -> None:
    for send in WAYS.values():
        answer = send(visit(None), {})
        assert answer.status_code in {201, 202, 303}, answer.text
        token = answer.headers[HEADER]
        assert TOKEN.fullmatch(token)
        if answer.status_code == 202:
            assert answer.json()["manage"] == token
        path = answer.headers["location"].removesuffix("/result")
        assert visit(None).delete(path).status_code == 403
        assert visit(None).delete(path, headers=bearer(token)).status_code == 204


def test_a_repeated_request_is_told_the_same_token(visit: Visit) -> None:
    joined = f"final;{part(visit(None))}"
    for way, send in WAYS.items():
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        if way == "tus joined":  # the same request names the same parts
            headers["Upload-Concat"] = joined
        first, second = (send(visit(None), headers) for _ in range(2))
        assert first.headers[HEADER] == second.headers[HEADER], way
        path = second.headers["location"].removesuffix("/result")
        token = second.headers[HEADER]
        assert visit(None).delete(path, headers=bearer(token)).status_code == 204, way


def test_no_later_answer_has_it(service: Service, visit: Visit) -> None:
    service.hire()
    client = visit()
    document = sent(client, to=["webp", "jpg"])
    path, token = document["links"]["self"], document["manage"]
    service.convert()
    answers = [
        client.get(path),
        client.get(path, headers=PAGE),
        client.get("/uploads"),
        client.get(f"{path}/result"),
        client.post(f"{path}/jobs/2/cancel"),
        client.post(f"{path}/jobs/2/again", headers=bearer(token)),
        client.post(f"{path}/jobs", data={"to": "gif"}),
    ]
    for answer in answers:
        assert answer.status_code in {200, 202}
        assert HEADER not in answer.headers
        assert token not in answer.text
        assert '"manage"' not in answer.text


def test_a_file_that_is_refused_has_none(visit: Visit) -> None:
    answer = visit(None).post("/uploads", content=b"\x01\x02\x03\xff" * 30)
    assert answer.status_code == 415
    assert HEADER not in answer.headers


def test_tokens_are_all_different_also_under_one_key(service: Service, visit: Visit) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}
    tokens = [WAYS["raw"](visit(), headers).headers[HEADER] for headers in (key, key, {}, {})]
    with service.sessions.begin() as session:
        session.execute(text("UPDATE idempotency_keys SET expires_at = now()"))
    tokens.append(WAYS["raw"](visit(None), key).headers[HEADER])
    assert len(set(tokens)) == 5


def test_a_key_is_its_browsers_own(service: Service, visit: Visit) -> None:
    """Whoever comes to know a key gets neither the answer nor the token with it."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    owner = visit()
    document = WAYS["raw"](owner, key).json()
    for stranger in (visit(), visit(None)):
        assert WAYS["raw"](stranger, key).json()["id"] != document["id"]
    assert WAYS["raw"](owner, key).json() == document


def test_old_keys_of_everybody_are_forgotten(service: Service, visit: Visit) -> None:
    for client in (visit(), visit(), visit(None)):
        WAYS["raw"](client, {"Idempotency-Key": str(uuid.uuid4())})
    with service.sessions.begin() as session:
        session.execute(text("UPDATE idempotency_keys SET expires_at = now()"))
    WAYS["raw"](visit(), {"Idempotency-Key": str(uuid.uuid4())})
    with service.sessions() as session:
        assert session.scalar(select(func.count()).select_from(IdempotencyKey)) == 1
        assert session.scalar(select(func.count()).select_from(Upload)) == 4


def test_pages_of_other_sites_have_the_token_alone(serve: Any, visit: Visit) -> None:
    """A neighbour's page is sent along with the cookie by browsers; it does not count."""
    invited = serve(cors_origins=("https://app.example",))
    neighbour = {**ELSEWHERE, "Sec-Fetch-Site": "same-site"}
    own = visit(url=invited.url)
    document = sent(own)
    path = document["links"]["self"]
    refused = own.post(f"{path}/cancel", headers=neighbour)
    assert refused.json()["code"] == "not_yours"
    assert own.get("/uploads", headers=neighbour).json()["uploads"] == []
    allowed = own.post(f"{path}/cancel", headers={**neighbour, **bearer(document["manage"])})
    assert allowed.status_code == 200
    made = own.post("/uploads", content=PNG, headers=neighbour)
    assert HEADER in made.headers["access-control-expose-headers"].split(", ")
    assert "set-cookie" not in made.headers
    assert own.get("/uploads").json()["uploads"] == [own.get(path).json()]
