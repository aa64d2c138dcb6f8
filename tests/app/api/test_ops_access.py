"""Who sees the operator's page: this machine, or the token; to all others it is not there."""

import re
import socket
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.api.ops.access import COOKIE
from app.settings import BadSetting, Settings, from_environment
from tests import plain
from tests.app.api.conftest import Serve, Service

TOKEN = "a-token-that-nobody-can-guess-0123"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
PROXIED = [
    {"X-Forwarded-For": "192.0.2.7"},
    {"X-Forwarded-Proto": "https"},
    {"X-Forwarded-Host": "rowmill.example"},
    {"Forwarded": "for=192.0.2.7"},
    {"X-Real-IP": "127.0.0.1"},
    {"Via": "1.1 proxy"},
    {"CF-Connecting-IP": "192.0.2.7"},
    {"Host": "rowmill.example"},
    {"Host": "rowmill.example:8000"},
    {"Host": "127.0.0.1.rowmill.example"},
    {"Host": "192.0.2.1"},
    {"Host": "[2001:db8::1]:8000"},
    {"Host": ""},
]
FOREIGN = [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://app.example"}]


def settle(service: Service, **settings: Any) -> None:
    """Change settings of a service that runs; of these, each request is judged by them anew."""
    parts = service.app.state.parts
    service.app.state.parts = replace(parts, settings=replace(parts.settings, **settings))


def status(service: Service, headers: Mapping[str, str] | None = None) -> int:
    given = {name.encode(): value.encode() for name, value in (headers or {}).items()}
    return service.client.get("/ops", headers=given).status_code


def assert_not_there(service: Service, headers: dict[str, str]) -> None:
    """It answers as any path does that leads nowhere."""
    for accept in ("application/json", "text/html"):
        given = {**headers, "Accept": accept}
        answer = service.client.get("/ops", headers=given)
        nowhere = service.client.get("/nowhere", headers=given)
        assert (answer.status_code, answer.text) == (404, nowhere.text)


def raw(service: Service, request: str) -> bytes:
    url = urlsplit(service.url)
    with socket.create_connection((url.hostname, url.port), timeout=30) as connection:
        connection.sendall(request.encode())
        return connection.recv(64)


def test_at_this_machine_it_is_open(service: Service) -> None:
    for host in ("127.0.0.1", "localhost", "127.0.0.1:8000", "[::1]:8000"):
        assert status(service, {"Host": host}) == 200, host


def test_behind_a_proxy_under_a_strangers_name_or_to_another_site_it_is_not_there(
    service: Service,
) -> None:
    for headers in [*PROXIED, *FOREIGN]:
        assert_not_there(service, headers)


def test_two_names_at_once_and_an_old_protocol_are_not_of_this_machine(service: Service) -> None:
    host = "Host: 127.0.0.1\r\n"
    close = "Connection: close\r\n\r\n"
    assert raw(service, f"GET /ops HTTP/1.1\r\n{host}{close}").startswith(b"HTTP/1.1 200")
    for request in (
        f"GET /ops HTTP/1.1\r\n{host}Host: rowmill.example\r\n{close}",
        f"GET /ops HTTP/1.0\r\n{host}{close}",  # what nginx says to whom it passes on
    ):
        answered = raw(service, request)
        assert re.match(rb"HTTP/1.[01] 40[04]", answered), answered


def test_an_api_that_others_reach_has_no_page_without_a_token(service: Service) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "rowmill.example", "127.0.0.1.rowmill.example"):
        settle(service, host=host)
        assert_not_there(service, {})
    settle(service, host="::1")
    assert status(service) == 200


def test_switched_off_it_is_not_there_even_with_the_token(service: Service) -> None:
    settle(service, ops="off", ops_token=TOKEN)
    assert_not_there(service, BEARER)
    assert service.client.get("/ops", params={"token": TOKEN}).status_code == 404


def test_the_token_opens_it_from_anywhere_and_nothing_else_does(service: Service) -> None:
    settle(service, ops="on", ops_token=TOKEN)
    for headers in [{}, *PROXIED]:
        refused = service.client.get("/ops", headers=headers)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert refused.json()["code"] == "not_the_operator"
        assert status(service, headers | BEARER) == 200
        assert status(service, {**headers, "Authorization": f"Basic {TOKEN}"}) == 401


@pytest.mark.parametrize("wrong", [TOKEN[:-1], TOKEN + "x", "x" * len(TOKEN), "\u00e9" * 20, "x"])
def test_what_is_not_the_token_opens_nothing(service: Service, wrong: str) -> None:
    settle(service, ops="on", ops_token=TOKEN)
    assert status(service, {"Authorization": f"Bearer {wrong}"}) == 401
    assert service.client.get("/ops", params={"token": wrong}).status_code == 401


def test_this_machine_needs_no_token_until_it_is_asked_for(service: Service) -> None:
    settle(service, ops_token=TOKEN)
    assert status(service) == 200
    assert status(service, {"X-Forwarded-For": "192.0.2.7"}) == 401
    settle(service, ops="on")
    assert status(service) == 401


def test_pages_of_other_sites_are_told_nothing_even_with_the_token(serve: Serve) -> None:
    service = serve(ops="on", ops_token=TOKEN, cors_origins=("*",))
    for headers in FOREIGN:
        assert_not_there(service, headers | BEARER)
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert status(service, visit | BEARER) == 200


def test_a_token_in_the_address_becomes_a_cookie_and_leaves_it(service: Service) -> None:
    settle(service, ops="on", ops_token=TOKEN)
    answer = service.client.get("/ops", params={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ops")
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "no-store" in answer.headers["cache-control"]
    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith(COOKIE)]
    assert {"HttpOnly", "Path=/ops", "SameSite=lax"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    mark = cookie.partition("=")[2].partition(";")[0]
    assert _with_cookie(service, mark) == 200
    assert _with_cookie(service, mark[:-1] + "x") == 401
    settle(service, ops_token=TOKEN[::-1])
    assert _with_cookie(service, mark) == 401


def test_a_wrong_token_in_the_address_gives_no_cookie(service: Service) -> None:
    settle(service, ops="on", ops_token=TOKEN)
    answer = service.client.get("/ops", params={"token": "wrong"})
    assert answer.status_code == 401
    assert COOKIE not in answer.headers.get("set-cookie", "")


def test_head_is_get_without_the_body(service: Service) -> None:
    answer = service.client.head("/ops")
    assert (answer.status_code, answer.content) == (200, b"")
    assert service.client.post("/ops").status_code == 405


def _with_cookie(service: Service, mark: str) -> int:
    return plain.get(f"{service.url}/ops", cookies={COOKIE: mark}, timeout=30).status_code


def test_a_page_that_nobody_could_see_stops_the_start() -> None:
    with pytest.raises(BadSetting, match="ROWMILL_OPS=on needs ROWMILL_OPS_TOKEN"):
        from_environment({"ROWMILL_OPS": "on"})
    with pytest.raises(BadSetting, match="ROWMILL_OPS='maybe' must be auto"):
        from_environment({"ROWMILL_OPS": "maybe"})


@pytest.mark.parametrize("token", ["short", "", "with spaces in it, and long", "é" * 30])
def test_a_token_that_is_none_is_refused_and_never_repeated(token: str) -> None:
    with pytest.raises(BadSetting) as refused:
        from_environment({"ROWMILL_OPS_TOKEN": token})
    assert "ROWMILL_OPS_TOKEN must be at least 16" in str(refused.value)
    assert not token or token not in str(refused.value)


def test_settings_that_are_printed_do_not_show_the_token() -> None:
    assert TOKEN not in repr(Settings(ops_token=TOKEN))
    assert from_environment({"ROWMILL_OPS_TOKEN": TOKEN}).ops_token == TOKEN
