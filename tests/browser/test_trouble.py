"""The page in trouble: strangers' names, a service that is away, a network that is gone."""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Request, Route, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    choose,
    convert,
    note_of,
    status_of,
    until_ready,
)
from tests.polling import poll
from tests.postgres import Server
from tests.system.house import House, house_on

pytestmark = [pytest.mark.browser, pytest.mark.system]


@pytest.fixture
def idle(postgres: Server, tmp_path: Path) -> Iterator[House]:
    """An API without any worker."""
    with house_on(postgres, tmp_path) as house:
        house.api()
        yield house


def test_no_script_runs_that_is_not_a_file_of_ours(running: House, open_page: Open) -> None:
    page = open_page(running, java_script_enabled=True)
    for path in ("/", f"/uploads/{uuid4()}"):
        answer = page.goto(path)
        assert answer is not None
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert page.locator("script:not([src]), style, [style], [onclick]").count() == 0


def test_our_own_forms_say_that_they_are_ours(running: House, open_page: Open) -> None:
    answer = open_page(running).goto("/")
    assert answer is not None
    # With no-referrer a browser says "Origin: null", which is what a stranger's form says.
    assert answer.headers["referrer-policy"] == "same-origin"


def test_an_unknown_address_gets_a_page_that_leads_back(running: House, open_page: Open) -> None:
    page = open_page(running)
    answer = page.goto(f"/uploads/{uuid4()}")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such upload.")
    page.get_by_role("link", name="Back to the start").click()
    page.wait_for_url("/")


def test_a_button_that_comes_too_late_leads_back_to_the_file(
    running: House, open_page: Open
) -> None:
    path = a_slow_upload(running)
    page = open_page(running, path, java_script_enabled=False)
    page.route(f"**{path}", lambda route: route.fulfill(status=204))  # it does not renew itself
    with running.client() as client:
        client.delete(path)
        card(page).get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("deleted")
        expect(page.get_by_role("link", name="Back to the file")).to_have_attribute("href", path)


def test_no_worker_is_said_as_such_and_the_file_starts_when_one_comes(
    idle: House, open_page: Open
) -> None:
    page = open_page(idle)
    choose(page, a_file("flag.png", samples.sample("png")))
    chosen = page.locator("#to option:checked")
    expect(chosen).to_have_text("WebP image (not now: No worker is running.)")
    page.locator("#go").click()
    sent = card(page)
    expect(status_of(sent)).to_have_text("Waiting: no worker can do this now")
    page.context.set_offline(True)
    expect(page.locator("#trouble")).to_contain_text("cannot be reached")
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_be_empty()  # although nothing has changed meanwhile
    idle.worker()
    until_ready(sent)


def test_a_service_that_is_away_for_a_moment_is_asked_again(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    away = [503, 502]  # in turn, until they are taken away
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.method)
        if asked.count("GET") > 1 and away:  # it is sent, and followed from here on
            away.reverse()
            route.fulfill(status=away[0], body="<h1>nginx</h1>", headers={"Retry-After": "1"})
        else:
            route.continue_()

    page.route("**/uploads/*", answer)
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    expect(page.locator("#trouble")).to_contain_text("asked again by itself")
    poll(lambda: page.evaluate("1") and asked.count("GET") > 2)
    away.clear()
    until_ready(sent)
    expect(page.locator("#trouble")).to_be_empty()


def test_the_page_asks_only_for_news_and_not_sooner_than_it_may(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    path = a_slow_upload(running)
    asked: list[tuple[float, dict[str, str]]] = []

    def answer(route: Route) -> None:
        asked.append((time.monotonic(), route.request.headers))
        if len(asked) <= 2:  # the page itself, then the first document
            route.continue_()
        else:
            route.fulfill(status=304, headers={"Retry-After": "2"})

    page.route(f"**{path}", answer)
    page.goto(path)
    while len(asked) < 5:
        page.wait_for_event("request")
    news = asked[2:]
    assert all("if-none-match" in headers and "prefer" in headers for _, headers in news)
    assert all(after[0] - before[0] > 1.9 for before, after in pairwise(news))


def test_a_file_that_is_not_taken_now_is_sent_again(running: House, open_page: Open) -> None:
    page = open_page(running)
    refused: list[Route] = []
    is_full = [True]

    def answer(route: Route) -> None:
        if route.request.method == "POST" and is_full:
            refused.append(route)
            route.fulfill(status=503, json={"detail": "Full."})
        else:
            route.continue_()

    page.route("**/uploads", answer)
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    poll(lambda: page.evaluate("1") and len(refused) > 1)
    expect(note_of(sent)).to_have_text("Full.")
    is_full.clear()
    until_ready(sent)


def test_without_a_network_the_page_waits_and_goes_on(running: House, open_page: Open) -> None:
    path = a_slow_upload(running)
    page = open_page(running, path)
    page.context.set_offline(True)
    expect(page.locator("#trouble")).to_contain_text("cannot be reached")
    with running.client() as client:
        client.post(f"{path}/jobs/1/cancel")
    page.context.set_offline(False)
    expect(status_of(card(page))).to_have_text("Cancelled")
    expect(page.locator("#trouble")).to_be_empty()


def test_a_cut_while_a_small_file_is_sent_is_overcome_and_makes_one_upload(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    keys: list[str] = []
    lost: list[Route] = []

    def lose_the_answer(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route)
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/uploads", lose_the_answer)
    page.on("request", lambda sent: keys.extend(_keys(sent)))
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    assert keys == [keys[0]] * 2
    expect(page.locator(".card")).to_have_count(1)


def test_without_tus_a_cut_leaves_a_button_that_sends_again(
    running: House, open_page: Open
) -> None:
    page = open_page(running, "/healthz")
    page.route("**/uploads", lambda route: route.fulfill(status=405))  # what OPTIONS is told
    page.route("**/uploads?name=*", lambda route: route.abort("connectionreset"), times=1)
    page.goto("/")
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    expect(status_of(sent)).to_contain_text("cannot be reached")
    sent.get_by_role("button", name="Try again").click()
    until_ready(sent)


def test_an_upload_that_is_deleted_while_it_is_followed_is_said_to_be(
    running: House, open_page: Open
) -> None:
    path = a_slow_upload(running)
    page = open_page(running)
    expect(status_of(card(page))).to_contain_text("onverting")
    with running.client() as client:
        client.delete(path)
    expect(card(page).locator('[data-part="problem"]')).to_contain_text("deleted")
    page.reload()
    expect(page.locator("#yours")).to_be_hidden()


def _keys(sent: Request) -> list[str]:
    return [value for name, value in sent.headers.items() if name == "idempotency-key"]
