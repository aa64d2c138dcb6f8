"""The page of an upload tells what happened to it: to people, in their words, and only of it."""

import html

import httpx
from sqlalchemy import text

from app import queue
from app.api.owners import COOKIE
from app.failures import CATALOGUE, failure
from tests import plain
from tests.app.api.conftest import Service
from tests.app.api.people import PAGE
from tests.make import ending

EVIL = "<script>alert(1)</script>"


def story_of(service: Service, path: str, *, client: httpx.Client | None = None) -> str:
    page = (client or service.client).get(path, headers=PAGE)
    assert page.status_code == 200
    _, details, rest = page.text.partition('<details class="story" data-story>')
    assert details
    return html.unescape(rest.partition("</details>")[0])


def test_each_turn_is_told_with_what_comes_next(service: Service) -> None:
    service.hire("w-of-our-cellar")
    path = service.upload()["links"]["self"]
    said = failure("converter_crashed")
    detail = said | {"log": "a line for operators"}
    claimed = service.claim("w-of-our-cellar")
    with service.sessions.begin() as session:
        queue.retry(session, [ending(claimed, error=said, detail=detail)], backoff_seconds=1000)
    told = story_of(service, path)
    assert "It was put in line: png to webp." in told
    assert CATALOGUE["converter_crashed"].sentence + " It is tried again." in told
    assert "The next attempt waits" in told
    assert "w-of-our-cellar" not in told
    assert "a line for operators" not in told


def test_who_sent_it_is_told_of_the_button_and_a_guest_of_who_has_it(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    service.fail(service.claim())
    hint = CATALOGUE["corrupt_input"].hint
    assert f"{hint} “Try again” starts it once more." in story_of(service, path)
    with plain.Client(base_url=service.url, cookies={COOKIE: "x" * 43}) as guest:
        told = story_of(service, path, client=guest)
    assert f"{hint} Whoever sent it can try it once more." in told
    assert "Try again" not in told
    assert "POST" not in told


def test_other_uploads_are_not_spoken_of(service: Service) -> None:
    service.hire()
    first, second = (service.upload()["links"]["self"] for _ in range(2))
    service.convert()
    assert "It is ready." in story_of(service, first)
    told = story_of(service, second)
    assert "It is next in line" in told
    assert "succeeded" not in told


def test_what_failed_with_a_strangers_words_stays_text(service: Service) -> None:
    service.hire()
    path = service.upload()["links"]["self"]
    said = failure("converter_crashed", EVIL)
    with service.sessions.begin() as session:
        queue.fail(session, [ending(service.claim(), error=said, detail=said)])
    page = service.client.get(path, headers=PAGE).text
    assert EVIL not in page
    assert html.escape(EVIL) in page


def test_an_upload_without_a_job_has_no_story(service: Service) -> None:
    path = service.upload()["links"]["self"]
    with service.sessions.begin() as session:
        session.execute(text("DELETE FROM jobs"))
    page = service.client.get(path, headers=PAGE)
    assert page.status_code == 200
    assert "data-story" not in page.text
