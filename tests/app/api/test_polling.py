"""Asking how far it is: cheap while nothing changes, at once when something does, truthful."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from sqlalchemy import text, update

from app.models import Job, Worker
from tests import plain
from tests.app.api.conftest import Service
from tests.polling import poll


def held(service: Service, path: str, **headers: str) -> "Future[tuple[httpx.Response, float]]":
    """Ask in another thread; the answer comes with the seconds that it took."""

    def ask() -> tuple[httpx.Response, float]:
        began = time.monotonic()
        answer = service.client.get(path, headers=headers, timeout=70)
        return answer, time.monotonic() - began

    pool = ThreadPoolExecutor(1)
    future = pool.submit(ask)
    pool.shutdown(wait=False)
    return future


def waiters(service: Service) -> int:
    return len(service.app.state.parts.watch)


def test_an_unchanged_document_is_304(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    first = service.client.get(path)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert first.headers["retry-after"] == "1"
    for given in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
        again = service.client.get(path, headers={"If-None-Match": given})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert again.headers["retry-after"] == "1"
    service.claim()
    changed = service.client.get(path, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


def test_a_settled_upload_needs_no_coming_back(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    service.convert()
    assert "retry-after" not in service.client.get(path).headers


def test_a_held_answer_comes_when_something_changes(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    tag = service.client.get(path).headers["etag"]
    waiting = held(service, path, Prefer="wait=30", **{"If-None-Match": tag})
    poll(lambda: waiters(service) == 1)
    service.claim()
    answer, seconds = waiting.result(20)
    assert answer.status_code == 200
    assert answer.json()["jobs"][0]["status"] == "running"
    assert answer.headers["preference-applied"] == "wait=30"
    assert seconds < 10
    assert waiters(service) == 0


def test_a_held_answer_is_304_when_the_time_is_over(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    tag = service.client.get(path).headers["etag"]
    answer, seconds = held(service, path, Prefer="wait=1", **{"If-None-Match": tag}).result(20)
    assert answer.status_code == 304
    assert answer.headers["preference-applied"] == "wait=1"
    assert seconds >= 1


def test_who_knows_an_older_state_does_not_wait(service: Service) -> None:
    path = service.upload()["links"]["self"]
    headers = {"Prefer": "wait=50", "If-None-Match": '"older"'}
    answer, seconds = held(service, path, **headers).result(20)
    assert (answer.status_code, seconds < 5) == (200, True)


def test_who_knows_nothing_does_not_wait_for_a_settled_upload(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    service.convert()
    answer, seconds = held(service, path, Prefer="wait=50").result(20)
    assert (answer.json()["status"], seconds < 5) == ("ready", True)


def test_a_deletion_ends_the_waiting_with_410(service: Service) -> None:
    path = service.upload()["links"]["self"]
    waiting = held(service, path, Prefer="wait=30")
    poll(lambda: waiters(service) == 1)
    service.client.delete(path)
    assert waiting.result(20)[0].status_code == 410


def test_who_leaves_is_not_waited_for(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    with pytest.raises(httpx.ReadTimeout):
        plain.get(service.url + path, headers={"Prefer": "wait=60"}, timeout=0.5)
    poll(lambda: waiters(service) == 0, seconds=10)


def test_fifty_who_wait_hold_no_seat_and_cost_one_look_a_second(service: Service) -> None:
    service.hire()
    paths = [service.upload()["links"]["self"] for _ in range(5)]
    tags = {path: service.client.get(path).headers["etag"] for path in paths}
    looks = count_looks(service)
    everyone = [
        held(service, path, Prefer="wait=5", **{"If-None-Match": tags[path]})
        for path in paths
        for _ in range(10)
    ]
    poll(lambda: waiters(service) == 50)
    before, began = looks(), time.monotonic()
    samples = []
    while time.monotonic() < began + 3:
        samples.append(seats_at_work(service))
    taken = looks() - before
    assert taken <= time.monotonic() - began + 1
    assert taken >= 1
    assert max(samples) <= 1
    assert sorted(samples)[len(samples) // 2] == 0
    assert {future.result(30)[0].status_code for future in everyone} == {304}


def count_looks(service: Service) -> Callable[[], int]:
    """Count the questions about uploads from now on."""
    watch = service.app.state.parts.watch
    real, seen, lock = watch._look, [0], threading.Lock()

    async def look(ids: Any) -> Any:
        with lock:
            seen[0] += 1
        return await real(ids)

    watch._look = look
    return lambda: seen[0]


def seats_at_work(service: Service) -> int:
    with service.sessions.begin() as session:
        return int(
            session.execute(
                text(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name ^@ 'rowmill api' "
                    "AND (state <> 'idle' OR backend_xmin IS NOT NULL)"
                )
            ).scalar_one()
        )


def test_closing_the_watch_answers_all_who_wait(service: Service) -> None:
    path = service.upload()["links"]["self"]
    waiting = held(service, path, Prefer="wait=60")
    poll(lambda: waiters(service) == 1)
    watch = service.app.state.parts.watch
    watch._looking.get_loop().call_soon_threadsafe(watch.close)
    answer, seconds = waiting.result(30)
    assert answer.status_code == 200
    assert seconds < 30
    assert held(service, path, Prefer="wait=60").result(30)[1] < 30


def test_the_place_in_the_line_is_told(service: Service) -> None:
    service.hire()
    first, second, third = (service.upload()["links"]["self"] for _ in range(3))
    places = [
        service.document(path)["jobs"][0]["queue_position"] for path in (first, second, third)
    ]
    assert places == [0, 1, 2]
    service.claim()
    assert service.document(first)["jobs"][0]["queue_position"] is None
    assert service.document(third)["jobs"][0]["queue_position"] == 1


def test_that_no_live_worker_can_do_it_is_said(service: Service) -> None:
    def waiting_for() -> Any:
        return service.document(path)["jobs"][0]["waiting_for"]

    path = service.upload(to="webp")["links"]["self"]
    assert waiting_for() == "No live worker can do png to webp."
    service.hire("w-other", offers={"kinds": {"image": 1}, "pairs": {"image": {"gif": ["webp"]}}})
    assert waiting_for() is not None
    service.hire("w-able")
    assert waiting_for() is None
    with service.sessions.begin() as session:  # the last one falls silent: nobody sweeps it
        session.execute(
            update(Worker)
            .where(Worker.name == "w-able")
            .values(heartbeat=Worker.started_at - text("interval '61 s'"))
        )
    assert waiting_for() is not None


def test_why_the_attempt_before_failed_is_said_while_the_next_one_waits(service: Service) -> None:
    from app import queue
    from app.failures import failure
    from app.queue import Ending

    service.hire()
    path = service.upload()["links"]["self"]
    claimed = service.claim()
    ending = Ending(claimed.job_id, claimed.lease_id, error=failure("converter_crashed"))
    with service.sessions.begin() as session:
        queue.retry(session, [ending], backoff_seconds=60)
    job = service.document(path)["jobs"][0]
    assert (job["status"], job["attempt"], job["error"]) == ("queued", 1, None)
    assert job["retry_reason"]["code"] == "converter_crashed"
    assert job["run_after"] > job["created_at"]
    with service.sessions.begin() as session:
        session.execute(update(Job).values(run_after=Job.created_at))
    service.claim()
    job = service.document(path)["jobs"][0]
    assert (job["status"], job["attempt"], job["max_attempts"]) == ("running", 2, 3)
    assert job["retry_reason"]["code"] == "converter_crashed"


def test_wait_leads_to_the_result_when_it_is_ready_in_time(service: Service) -> None:
    service.hire()

    def send() -> httpx.Response:
        params = {"name": "a.png", "wait": "30"}
        return plain.post(
            service.url + "/uploads",
            content=b"\x89PNG\r\n\x1a\n" + b"x" * 90,
            params=params,
            timeout=60,
        )

    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(send)
        poll(lambda: waiters(service) == 1)
        service.convert(b"made")
        answer = sent.result(30)
    assert answer.status_code == 303
    result = service.client.get(answer.headers["location"])
    assert result.content == b"made"


def test_wait_answers_with_the_document_when_the_time_is_over(service: Service) -> None:
    said = service.upload(wait="1")
    assert said["status"] == "converting"


def test_wait_leads_to_the_reason_when_it_fails_in_time(service: Service) -> None:
    service.hire()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(
            lambda: plain.put(
                service.url + "/uploads/a?wait=30",
                content=b"\x89PNG\r\n\x1a\n" + b"x" * 90,
                timeout=60,
            )
        )
        poll(lambda: waiters(service) == 1)
        service.fail(service.claim())
        answer = service.client.get(sent.result(30).headers["location"])
    assert (answer.status_code, answer.json()["code"]) == (409, "conversion_failed")
