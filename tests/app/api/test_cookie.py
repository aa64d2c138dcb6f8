"""The cookie that tells browsers apart: when it comes, when it is renewed, whom it counts for."""

import re
from itertools import product
from typing import Any

import httpx
import pytest

from app.api.owners import COOKIE
from tests import plain
from tests.app.api.conftest import PNG, Serve, Service
from tests.app.api.people import ELSEWHERE, HERE, PAGE, Visit, row, sent, serve, service, visit

__all__ = ["serve", "service", "visit"]

SET = re.compile(
    rf"{COOKIE}=([A-Za-z0-9_-]{{43}}); Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax(; Secure)?"
)
BAD = ["", "short", "a" * 42, "a" * 44, "a" * 42 + "!", "a" * 42 + "é", "a" * 5000, '"a b"']


def given(answer: httpx.Response) -> str:
    """Return the cookie that an answer gives."""
    (line,) = answer.headers.get_list("set-cookie")
    found = SET.fullmatch(line)
    assert found, line
    return found[1]


def test_the_first_page_gives_a_cookie_and_the_next_the_same_for_longer(visit: Visit) -> None:
    client = visit(None, **PAGE)
    first = given(client.get("/"))
    assert given(client.get("/")) == first == client.cookies[COOKIE]
    assert given(visit(None, **PAGE).get("/")) != first


def test_the_page_of_an_upload_gives_one_too_and_no_upload_with_it(visit: Visit) -> None:
    path = sent(visit())["links"]["self"]
    guest = visit(None)
    given(guest.get(path, headers=PAGE))
    assert guest.get("/uploads").json()["uploads"] == []
    assert guest.delete(path).status_code == 403


def test_a_browser_that_sends_without_one_gets_one_that_owns(
    service: Service, visit: Visit
) -> None:
    ways: list[dict[str, Any]] = [{"content": PNG}, {"files": {"file": ("a.png", PNG)}}]
    for headers, way in product((HERE, {"Origin": service.url}, PAGE), ways):
        client = visit(None)
        given(client.post("/uploads", headers=headers, **way))
        (document,) = client.get("/uploads").json()["uploads"]
        assert client.delete(document["links"]["self"]).status_code == 204


def test_so_does_one_that_speaks_tus(visit: Visit) -> None:
    client = visit(None, **HERE)
    given(client.post("/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "9"}))
    assert len(client.get("/uploads").json()["uploads"]) == 1


def test_a_page_that_asks_what_is_spoken_gets_one_before_it_sends_many_at_once(
    visit: Visit,
) -> None:
    client = visit(None, **HERE)
    mine = given(client.options("/uploads"))
    answers = [client.post("/uploads", content=PNG), client.options("/uploads")]
    assert not any("set-cookie" in answer.headers for answer in answers)
    assert client.cookies[COOKIE] == mine
    assert len(client.get("/uploads").json()["uploads"]) == 1


def test_neither_programs_nor_pages_of_other_sites_get_one_by_asking(visit: Visit) -> None:
    preflight = {**ELSEWHERE, "Access-Control-Request-Method": "POST"}
    for headers in ({}, {"Tus-Resumable": "1.0.0"}, ELSEWHERE, preflight):
        assert "set-cookie" not in visit(None).options("/uploads", headers=headers).headers


def test_one_that_has_a_cookie_keeps_it(service: Service, visit: Visit) -> None:
    client = visit(**HERE)
    answer = client.post("/uploads", content=PNG)
    assert "set-cookie" not in answer.headers
    assert len(client.get("/uploads").json()["uploads"]) == 1


def test_a_program_gets_none(service: Service, visit: Visit) -> None:
    client = visit(None)
    answer = client.post("/uploads", content=PNG)
    assert "set-cookie" not in answer.headers
    assert row(service, answer.json()).owner is None


def test_a_cookie_of_another_shape_is_ignored_and_replaced(visit: Visit) -> None:
    for bad in BAD:
        with_it: Any = {b"Cookie": f"{COOKIE}={bad}".encode()}
        assert given(visit(None).get("/", headers=with_it)) != bad
        answer = visit(None, **HERE).post("/uploads", content=PNG, headers=with_it)
        owner = visit(given(answer))
        assert owner.get("/uploads").json()["uploads"][0]["id"] == answer.json()["id"]
        assert visit(None).get("/uploads", headers=with_it).json()["uploads"] == []
        path = answer.headers["location"]
        assert visit(None).delete(path, headers=with_it).status_code == 403
        assert owner.delete(path).status_code == 204


@pytest.mark.parametrize(("trusted", "secure"), [("127.0.0.1", True), ("192.0.2.1", False)])
def test_it_is_secure_if_a_trusted_proxy_says_that_people_come_by_https(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, trusted: str, secure: bool
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    answer = plain.get(f"{serve().url}/", headers={"X-Forwarded-Proto": "https"})
    given(answer)
    assert answer.headers["set-cookie"].endswith("; Secure") is secure


def test_without_https_it_is_not_secure(visit: Visit) -> None:
    assert not visit(None).get("/").headers["set-cookie"].endswith("Secure")


def test_what_is_no_page_gives_none(visit: Visit) -> None:
    client = visit(None)
    for path in ("/formats", "/healthz", "/uploads", "/nowhere", "/favicon.ico"):
        assert "set-cookie" not in client.get(path).headers, path


def test_a_page_of_another_site_can_neither_replace_nor_use_it(visit: Visit) -> None:
    client = visit()
    document = sent(client)
    for headers in (ELSEWHERE, {"Origin": "https://app.example"}, {"Sec-Fetch-Site": "same-site"}):
        assert "set-cookie" not in client.get("/", headers=headers).headers
        assert client.get("/uploads", headers=headers).json()["uploads"] == []
        refused = client.delete(document["links"]["self"], headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")


def test_whoever_follows_a_link_from_another_site_is_who_they_were(visit: Visit) -> None:
    came = {**PAGE, "Sec-Fetch-Site": "cross-site"}
    assert given(visit("v" * 43).get("/", headers=came)) == "v" * 43
    given(visit(None).get("/", headers=came))


def test_orders_from_other_sites_are_refused(visit: Visit) -> None:
    client = visit()
    path = sent(client)["links"]["self"]
    orders = (("POST", "/cancel"), ("DELETE", ""), ("PATCH", ""), ("POST", "/delete"))
    strangers = (
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://app.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.example"},
        {"Origin": "http://127.0.0.1"},
    )
    for headers in strangers:
        for method, where in orders:
            answer = client.request(method, f"{path}{where}", headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "cross_site"), headers
        assert client.post("/uploads", content=PNG, headers=headers).status_code == 403
        assert client.put("/uploads/a.png", content=PNG, headers=headers).status_code == 403


def test_orders_from_a_page_that_came_without_tls_are_refused_where_there_is_tls(
    visit: Visit,
) -> None:
    """Whoever is on the wire can write such a page."""
    client = visit(X_Forwarded_Proto="https")
    path, host = sent(client)["links"]["self"], client.base_url.netloc.decode()
    refused = client.post(f"{path}/cancel", headers={"Origin": f"http://{host}"})
    assert refused.json()["code"] == "cross_site"
    allowed = client.post(f"{path}/cancel", headers={"Origin": f"https://{host}"})
    assert allowed.status_code == 200


def test_orders_from_our_own_page_are_followed(service: Service, visit: Visit) -> None:
    for headers in (HERE, {"Origin": service.url}, {"Sec-Fetch-Site": "none"}):
        client = visit()
        path = sent(client)["links"]["self"]
        assert client.post(f"{path}/cancel", headers=headers).status_code == 200
