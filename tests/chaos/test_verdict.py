"""The verdict of a chaos run finds what it is there to find."""

import hashlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chaos import cargo
from tests.chaos.ledger import Look, Sent
from tests.chaos.verdict import judge


def nap(number: int) -> bytes:
    return b"NAP1" + cargo.digest(number).encode()


MADE = hashlib.sha256(nap(1)).hexdigest()
RUNNING = Look("converting", "running", 1, 0, 0.5, None)
READY = Look("ready", "succeeded", 1, 0, 1.0, MADE)


def answers(document: dict[str, Any], result: bytes) -> httpx.Client:
    """Return a client to whom one upload is told like this."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/result"):
            return httpx.Response(200, content=result)
        return httpx.Response(410 if document.get("gone") else 200, json=document)

    return httpx.Client(base_url="http://told", transport=httpx.MockTransport(answer))


def told(**changes: Any) -> dict[str, Any]:
    job = {
        "status": "succeeded",
        "attempt": 1,
        "interruptions": 0,
        "progress": 1.0,
        "result": {"sha256": MADE},
    }
    return {
        "status": "ready",
        "name": "chaos-1.png",
        "sha256": cargo.digest(1),
        "jobs": [job | changes.pop("job", {})],
        "links": {"result": "/uploads/1/result"},
    } | changes


def stored(data: Path, name: str, number: int = 1) -> None:
    (data / "objects").mkdir(parents=True, exist_ok=True)
    (data / "objects" / name).write_bytes(cargo.picture(number))


def one(**changes: Any) -> Sent:
    sent = Sent(1, "put", "nap", insists=True, paths={"/uploads/1"}, looks=[RUNNING, READY])
    for name, value in changes.items():
        setattr(sent, name, value)
    return sent


def kinds(sent: Sent, data: Path, document: dict[str, Any], result: bytes = nap(1)) -> set[str]:
    return set(judge([sent], data, answers(document, result)).faults)


def test_what_is_as_it_should_be_is_no_fault(tmp_path: Path) -> None:
    stored(tmp_path, "1")
    assert kinds(one(), tmp_path, told()) == set()
    assert kinds(one(paths=set(), looks=[]), tmp_path, told()) == set()


def test_what_was_promised_and_is_not_there_is_lost(tmp_path: Path) -> None:
    assert kinds(one(), tmp_path, told()) == {"lost"}
    stored(tmp_path, "1")
    assert kinds(one(looks=[RUNNING]), tmp_path, told(status="failed")) == {"lost"}
    assert kinds(one(given_up=True), tmp_path, told()) == {"lost"}


def test_what_is_there_without_an_answer_is_recovered_and_no_fault(tmp_path: Path) -> None:
    assert judge([one(paths=set(), looks=[])], tmp_path, answers(told(), nap(1))).recovered == []
    stored(tmp_path, "1")
    assert judge([one()], tmp_path, answers(told(), nap(1))).recovered == []
    verdict = judge([one(paths=set(), looks=[])], tmp_path, answers(told(), nap(1)))
    assert verdict.recovered == ["chaos-1.png"]
    assert verdict.faults == {}


def test_a_result_of_something_else_is_lost_and_contradicts_what_was_recorded(
    tmp_path: Path,
) -> None:
    stored(tmp_path, "1")
    assert kinds(one(), tmp_path, told(), nap(2)) == {"lost", "contradicted"}


def test_what_is_there_twice_is_doubled_and_what_nobody_sent_is_invented(tmp_path: Path) -> None:
    stored(tmp_path, "1")
    stored(tmp_path, "2")
    assert kinds(one(), tmp_path, told()) == {"doubled"}
    stored(tmp_path, "2", number=2)
    assert kinds(one(), tmp_path, told()) == {"invented"}


@pytest.mark.parametrize(
    "changes",
    [
        {"paths": {"/uploads/1", "/uploads/2"}},
        {"strange": ["500"]},
        {"looks": [READY, RUNNING]},
        {"looks": [READY, READY._replace(sha256="b" * 64)]},
        {"looks": [RUNNING, RUNNING._replace(progress=0.4)]},
        {"looks": [RUNNING._replace(attempt=2), RUNNING]},
        {"looks": [RUNNING, READY._replace(status="failed", job="failed")]},
        {"looks": [RUNNING, READY._replace(sha256="b" * 64)]},
        {"looks": [RUNNING._replace(attempt=7)]},
        {"looks": [RUNNING._replace(interruptions=7)]},
        {"delete_asked": True, "delete_done": True},
    ],
)
def test_answers_of_which_one_must_be_untrue_are_contradicted(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    stored(tmp_path, "1")
    assert "contradicted" in kinds(one(**changes), tmp_path, told())


def test_a_new_attempt_may_begin_anew(tmp_path: Path) -> None:
    stored(tmp_path, "1")
    again = RUNNING._replace(interruptions=1, progress=0.0)
    looks = [RUNNING, again, READY._replace(interruptions=1)]
    assert kinds(one(looks=looks), tmp_path, told(job={"interruptions": 1})) == set()


def test_an_upload_that_is_not_found_in_the_end_is_lost(tmp_path: Path) -> None:
    stored(tmp_path, "1")
    assert kinds(one(), tmp_path, {"gone": 1}) == {"lost"}
    assert kinds(one(delete_asked=True), tmp_path, {"gone": 1}) == set()
