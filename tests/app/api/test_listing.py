"""GET /uploads: what one browser has sent, newest first, and nothing of anybody else."""

import base64
import hashlib
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
from sqlalchemy import Engine, create_engine, text, update
from sqlalchemy.dialects import postgresql

from app.api import listing
from app.api.owners import COOKIE
from app.models import Upload
from tests.app.api.conftest import Service
from tests.app.api.people import PAGE, Visit, sent, serve, service, visit
from tests.make import make_upload

__all__ = ["serve", "service", "visit"]

OTHERS = """
INSERT INTO uploads (id, name, size, received, completed_at, owner, created_at)
SELECT gen_random_uuid(), 'x.png', 1, 1, now(), md5((n % 500)::text), now() - n * interval '1 s'
FROM generate_series(1, 10000) AS n
"""


def names(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [document["name"] for document in answer.json()["uploads"]]


def owner_of(client: httpx.Client) -> str:
    return hashlib.sha256(client.cookies[COOKIE].encode()).hexdigest()


def walk(client: httpx.Client, path: str) -> list[str]:
    """Return the names on a page and on all that follow it."""
    answer = client.get(path)
    following = answer.json()["links"]["next"]
    return names(answer) + (walk(client, following) if following else [])


def fill(service: Service, client: httpx.Client, count: int) -> list[str]:
    """Make uploads of one and the same instant, whose order only the id tells; return the names."""
    owner = owner_of(client)
    ids = sorted((uuid4() for _ in range(count)), reverse=True)
    with service.sessions.begin() as session:
        for upload_id in reversed(ids):  # not in the order that is expected
            make_upload(session, id=upload_id, name=str(upload_id), owner=owner)
    return [str(upload_id) for upload_id in ids]


def test_it_has_the_documents_of_ones_own_uploads_newest_first(
    service: Service, visit: Visit
) -> None:
    client, other = visit(), visit()
    paths = [sent(who)["links"]["self"] for who in (client, other, client)]
    said = client.get("/uploads").json()
    assert said["uploads"] == [client.get(paths[2]).json(), client.get(paths[0]).json()]
    assert said["links"] == {"next": None}
    assert [one["links"]["self"] for one in other.get("/uploads").json()["uploads"]] == [paths[1]]


def test_without_a_cookie_it_is_empty_whatever_programs_have_sent(visit: Visit) -> None:
    program = visit(None)
    document = sent(program)
    for headers in ({}, {"Authorization": f"Bearer {document['manage']}"}):
        assert program.get("/uploads", headers=headers).json() == {
            "uploads": [],
            "links": {"next": None},
        }


def test_what_is_gone_and_parts_are_not_in_it_and_what_still_comes_is(
    service: Service, visit: Visit
) -> None:
    client = visit()
    deleted, expired = sent(client)["links"]["self"], sent(client)["id"]
    client.delete(deleted)
    with service.sessions.begin() as session:
        over = update(Upload).where(Upload.id == UUID(expired))
        session.execute(over.values(expires_at=datetime.now(UTC)))
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "9"}
    client.post("/uploads", headers={**headers, "Upload-Concat": "partial"})
    coming = client.post("/uploads", headers=headers).headers["location"]
    (document,) = client.get("/uploads").json()["uploads"]
    assert (document["links"]["self"], document["status"]) == (coming, "receiving")


def test_page_after_page_has_everything_once(service: Service, visit: Visit) -> None:
    client = visit()
    expected = fill(service, client, 7)
    for limit in (1, 2, 3, 6, 7, 8, 100):
        assert walk(client, f"/uploads?limit={limit}") == expected


def test_the_order_does_not_hang_on_the_index(service: Service, visit: Visit) -> None:
    client = visit()
    expected = fill(service, client, 9)
    with service.sessions.begin() as session:
        for way in ("indexscan", "indexonlyscan", "bitmapscan"):
            session.execute(text(f"SET LOCAL enable_{way} = off"))
        found = session.scalars(listing.page(owner_of(client), before=None, limit=9)).all()
    assert [str(upload_id) for upload_id in found] == expected


def test_what_comes_and_goes_meanwhile_moves_nothing(service: Service, visit: Visit) -> None:
    client = visit()
    expected = fill(service, client, 6)
    first = client.get("/uploads?limit=2")
    assert names(first) == expected[:2]
    sent(client, "new.png")
    client.delete(f"/uploads/{expected[1]}")  # which the mark of the next page stands for
    sent(client, "newer.png")
    assert walk(client, first.json()["links"]["next"]) == expected[2:]
    assert names(client.get("/uploads?limit=3")) == ["newer.png", "new.png", expected[0]]


def test_a_mark_shows_nobody_anothers_uploads(service: Service, visit: Visit) -> None:
    client = visit()
    fill(service, client, 3)
    following = client.get("/uploads?limit=1").json()["links"]["next"]
    assert names(visit().get(following)) == names(visit(None).get(following)) == []


def test_a_page_has_twenty_and_at_most_a_hundred(service: Service, visit: Visit) -> None:
    client = visit()
    fill(service, client, 101)
    assert len(names(client.get("/uploads"))) == listing.USUAL == 20
    assert len(names(client.get("/uploads?limit=5000"))) == listing.MOST == 100


def test_a_question_that_makes_no_sense_is_refused(visit: Visit) -> None:
    far = base64.urlsafe_b64encode(b"\x7f" + b"\xff" * 23).decode()
    asked = {
        "limit": ("0", "-1", "x", "", "1.5", "²", "%00", "9" * 5000 + "x"),
        "before": ("", "x", "AAAA", "!" * 32, "é", "A" * 31, far),
    }
    for name, values in asked.items():
        for value in values:
            answer = visit().get(f"/uploads?{name}={value}")
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_request"), value
            assert name in answer.json()["detail"]


def test_a_browser_that_asks_for_a_page_gets_one_of_its_own_uploads(visit: Visit) -> None:
    mine, stranger = visit(), visit()
    for browser in (mine, stranger):
        browser.get("/", headers=PAGE)
    sent(mine, "mine.png")
    assert "mine.png" in mine.get("/uploads", headers=PAGE).text
    empty = stranger.get("/uploads", headers=PAGE)
    assert (empty.status_code, "mine.png" in empty.text) == (200, False)
    assert "There is none here" in empty.text


def test_ten_thousand_uploads_of_others_do_not_slow_it(
    service: Service, visit: Visit, engine: Engine
) -> None:
    client = visit()
    fill(service, client, 30)
    with engine.begin() as connection:
        connection.execute(text(OTHERS))
    url = engine.url.render_as_string(hide_password=False)
    lone = create_engine(url, isolation_level="AUTOCOMMIT")
    with lone.connect() as connection:
        connection.execute(text("VACUUM (ANALYZE) uploads"))
    lone.dispose()
    owner = owner_of(client)
    mark = listing.Mark(datetime(2100, 1, 1, tzinfo=UTC), uuid4())
    for before in (None, mark):
        plan = explained(engine, listing.page(owner, before=before, limit=21))
        nodes = list(unfolded(plan))
        assert [node["Node Type"] for node in nodes] == ["Limit", "Index Scan"]
        assert nodes[1]["Index Name"] == "uploads_owned"
        assert nodes[1]["Actual Rows"] == 21
        assert nodes[1].get("Rows Removed by Filter", 0) == 0
        assert nodes[1]["Shared Hit Blocks"] + nodes[1]["Shared Read Blocks"] < 40


def explained(engine: Engine, statement: Any) -> Any:
    written = statement.compile(
        dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
        compile_kwargs={"literal_binds": True},
    )
    with engine.begin() as connection:
        rows = connection.exec_driver_sql(
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {written}".replace("%", "%%")
        )
        found = rows.scalar()
    return (found if isinstance(found, list) else json.loads(str(found)))[0]["Plan"]


def unfolded(plan: Any) -> Any:
    yield plan
    for child in plan.get("Plans", ()):
        yield from unfolded(child)
