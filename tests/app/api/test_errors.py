"""The catalogue of errors: the same in the code, in the docs and in what clients get."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.api.errors import CATALOGUE, Problem
from app.failures import CATALOGUE as FAILURES
from tests.app.api.conftest import Service

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "errors.md"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_the_docs_list_every_answer_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \|$", DOCS.read_text(), re.MULTILINE)
    said = {code: (int(status), title, hint) for code, status, title, hint in rows}
    assert said == {
        code: (entry.status, entry.title, entry.hint) for code, entry in CATALOGUE.items()
    }


def test_the_docs_list_every_failure_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\D.+) \| (.+) \|$", DOCS.read_text(), re.MULTILINE)
    said = {code: (sentence, hint) for code, sentence, hint in rows}
    assert said == {code: (one.sentence, one.hint) for code, one in FAILURES.items()}


def test_every_code_is_used_and_every_used_code_exists() -> None:
    sources = [
        path.read_text() for path in (ROOT / "app").rglob("*.py") if path.name != "errors.py"
    ]
    text = "\n".join(sources)
    unused = [code for code in CATALOGUE if f'"{code}"' not in text]
    assert set(unused) <= {"deleted", "expired"}  # raised by the name of the status
    used = set(re.findall(r'Problem\(\s*"(\w+)"', text))
    assert used <= set(CATALOGUE)


def test_a_problem_says_everything_that_rfc_9457_names() -> None:
    problem = Problem("not_ready", "No.", hint="Wait.", possible=["a"])
    assert problem.document == {
        "type": "urn:rowmill:error:not_ready",
        "title": CATALOGUE["not_ready"].title,
        "status": 409,
        "code": "not_ready",
        "detail": "No.",
        "hint": "Wait.",
        "possible": ["a"],
    }


def test_a_503_says_when_to_come_back() -> None:
    assert Problem("database_away").headers["Retry-After"] == "2"


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/nowhere", "not_found"),
        ("GET", "/static/x/nothing.js", "not_found"),
        ("GET", f"/uploads/{UNKNOWN}/jobs/{'9' * 5000}/result", "upload_unknown"),
        ("PATCH", "/formats", "method_not_allowed"),
        ("DELETE", "/uploads/x", "upload_unknown"),
        ("POST", f"/uploads/{UNKNOWN}/cancel", "upload_unknown"),
        ("DELETE", f"/uploads/{UNKNOWN}", "upload_unknown"),
        ("GET", f"/uploads/{UNKNOWN}/result", "upload_unknown"),
    ],
)
def test_every_refusal_is_a_problem(service: Service, method: str, path: str, code: str) -> None:
    answer = service.client.request(method, path)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == code
    assert answer.json()["status"] == answer.status_code == CATALOGUE[code].status


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/formats", "GET, HEAD"),
        ("DELETE", "/uploads", "GET, HEAD, POST"),
        ("POST", f"/uploads/{UNKNOWN}", "GET, HEAD, PUT, PATCH, DELETE"),
        ("PATCH", f"/uploads/{UNKNOWN}/jobs", "GET, HEAD, POST, PUT, DELETE"),
        ("PUT", "/static/x/page.css", "GET, HEAD"),
    ],
)
def test_a_wrong_method_hears_all_that_the_path_takes(
    service: Service, method: str, path: str, allowed: str
) -> None:
    answer = service.client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["code"] == "method_not_allowed"


def test_what_a_client_sent_is_repeated_only_cleaned(service: Service) -> None:
    body = b'{"\\ud800\\u0000": 1}'
    headers = {"Content-Type": "application/json"}
    answer = service.client.post(f"/uploads/{UNKNOWN}/jobs", content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert Problem("bad_request", "a\0\ud800\x1bb").document["detail"] == "a b"


def test_a_crash_is_a_500_without_its_secrets(service: Service) -> None:
    @service.app.get("/crash")
    def crash() -> Any:
        raise ValueError("password=hunter2")

    answer = service.client.get("/crash")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "hunter2" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
