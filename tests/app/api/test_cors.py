"""Pages of other sites: shut out, until a setting lets some in; then they see everything."""

from typing import Any

import pytest

from app.api.cors import EXPOSED, PREFLIGHT
from app.settings import BadSetting, from_environment
from tests.app.api.conftest import PNG, Serve, Service

ORIGIN = "https://app.example"
HERE = {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"}
TUS = {"Tus-Resumable": "1.0.0", "Upload-Length": str(len(PNG))}


@pytest.fixture
def open_service(serve: Serve) -> Service:
    return serve(cors_origins=(ORIGIN, "https://other.example"))


def cors(answer: Any) -> dict[str, str]:
    return {
        name: value for name, value in answer.headers.items() if name.startswith("access-control")
    }


def test_nothing_is_said_by_default(service: Service) -> None:
    answers = [
        service.client.options("/uploads", headers=HERE),
        service.client.get("/formats", headers=HERE),
    ]
    assert all(cors(answer) == {} for answer in answers)
    refused = service.client.post("/uploads", content=PNG, headers=HERE)
    assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")


def test_a_preflight_is_told_what_may_be_sent(open_service: Service) -> None:
    asked = {**HERE, "Access-Control-Request-Method": "PATCH"}
    for path in ("/uploads", "/uploads/a/b", "/uploads/"):
        answer = open_service.client.options(path, headers=asked)
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        for name, value in PREFLIGHT.items():
            assert answer.headers[name] == value
    assert {"HEAD", "PATCH", "DELETE"} <= set(PREFLIGHT["Access-Control-Allow-Methods"].split(", "))
    assert "access-control-allow-credentials" not in answer.headers


def test_another_page_can_upload_and_read_what_it_needs(open_service: Service) -> None:
    answer = open_service.client.post("/uploads", headers={**HERE, **TUS})
    assert answer.status_code == 201
    exposed = set(answer.headers["access-control-expose-headers"].split(", "))
    assert {
        "Location",
        "Upload-Offset",
        "Upload-Expires",
        "Tus-Resumable",
        "Retry-After",
    } <= exposed
    assert answer.headers["access-control-expose-headers"] == EXPOSED
    assert "Origin" in answer.headers["vary"]
    assert open_service.client.head(answer.headers["location"], headers={**HERE, **TUS}).headers[
        "access-control-expose-headers"
    ]


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/nowhere", {}, 404),
        ("POST", "/uploads", {"Tus-Resumable": "0.1"}, 412),
        ("POST", "/uploads", {**TUS, "Upload-Length": str(10**15)}, 413),
        ("HEAD", "/uploads/nobody", TUS, 404),
        ("PATCH", "/uploads/nobody", TUS, 404),
    ],
)
def test_refusals_can_be_read_too(
    open_service: Service, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = open_service.client.request(method, path, headers={**HERE, **headers})
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert answer.headers["access-control-expose-headers"] == EXPOSED


def test_a_crash_can_be_read_too(open_service: Service) -> None:
    @open_service.app.get("/crash")
    def crash() -> Any:
        raise ValueError

    answer = open_service.client.get("/crash", headers=HERE)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (500, ORIGIN)


@pytest.mark.parametrize("origin", ["https://app.example.evil", "http://app.example", "null", ""])
def test_others_stay_shut_out(open_service: Service, origin: str) -> None:
    here = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
    answer = open_service.client.post("/uploads", content=PNG, headers=here)
    assert answer.status_code == 403
    assert cors(answer) == {}
    assert "Origin" in answer.headers["vary"]


def test_a_star_lets_every_page_in(serve: Serve) -> None:
    service = serve(cors_origins=("*",))
    answer = service.client.post("/uploads", content=PNG, headers={**HERE, "Origin": "null"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (202, "*")


def test_the_setting_takes_origins_and_nothing_else() -> None:
    def read(text: str) -> tuple[str, ...]:
        return from_environment({"ROWMILL_CORS_ORIGINS": text}).cors_origins

    assert read("none") == ()
    assert read("https://A.example , http://localhost:8080") == (
        "https://a.example",
        "http://localhost:8080",
    )
    assert read("*") == ("*",)
    for bad in ("", "app.example", "https://app.example/", "https://a b", "*.example"):
        with pytest.raises(BadSetting, match="ROWMILL_CORS_ORIGINS"):
            read(bad)
