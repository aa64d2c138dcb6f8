"""Coming back: the list of a person's uploads is there, wherever and however they come."""

import hashlib
import re
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests import make, samples
from tests.browser.conftest import Open
from tests.browser.steps import (
    LOOKED_AT,
    a_file,
    a_slow_upload,
    card,
    convert,
    look_until,
    status_of,
    until_ready,
)
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]


def test_the_list_is_there_in_a_browser_that_remembers_nothing(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    page.evaluate("localStorage.clear()")
    other = open_page(running)  # another browser with the same cookie
    for one in (page, other):
        one.goto("/")
        until_ready(card(one))
        expect(one.locator(".card")).to_have_count(1)
        expect(card(one).locator('[data-part="badge"] img')).to_have_js_property(
            "naturalWidth", samples.SIZE[0]
        )


def test_what_is_being_converted_is_followed_on_from_the_list(
    running: House, open_page: Open
) -> None:
    path = a_slow_upload(running)
    page = open_page(running)
    expect(status_of(card(page))).to_contain_text("Converting")
    with running.client() as client:
        client.post(f"{path}/jobs/1/cancel")
    expect(status_of(card(page))).to_have_text("Cancelled")


def test_older_ones_come_at_a_click_in_their_order(running: House, open_page: Open) -> None:
    owner = hashlib.sha256(running.visitor.encode()).hexdigest()
    for number in range(33):  # one by one: the list goes by the time of each
        with running.sessions.begin() as session:
            make.make_upload(session, name=f"{number}.png", owner=owner)
    page = open_page(running)
    expect(page.locator(".card")).to_have_count(30)
    page.get_by_role("button", name="Show older ones").click()
    expect(page.locator(".card")).to_have_count(33)
    names = page.locator('.card [data-part="name"]').all_inner_texts()
    assert names == [f"{number}.png" for number in reversed(range(33))]
    expect(card(page, 30).get_by_role("link", name="2.png", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Show")).to_have_count(0)


def test_older_ones_can_be_reached_after_all_that_are_shown_are_deleted(
    running: House, open_page: Open
) -> None:
    owner = hashlib.sha256(running.visitor.encode()).hexdigest()
    for number in range(31):
        with running.sessions.begin() as session:
            make.make_upload(session, name=f"{number}.png", owner=owner)
    page = open_page(running)
    for left in reversed(range(30)):
        card(page).get_by_role("button", name="Delete").click()
        expect(page.locator(".card")).to_have_count(left)
    page.get_by_role("button", name="Show older ones").click()
    expect(card(page).get_by_role("link", name="0.png", exact=True)).to_be_visible()


def test_what_another_tab_sends_and_deletes_shows_when_this_one_is_looked_at(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    other = page.context.new_page()
    other.goto("/")
    until_ready(convert(other, a_file("flag.png", samples.sample("png")), to="webp"))
    look_until(page, card(page).is_visible)
    until_ready(card(page))
    other.get_by_role("button", name="Delete flag.png").click()
    expect(other.locator(".card")).to_have_count(0)
    problem = card(page).locator('[data-part="problem"]')
    look_until(page, problem.is_visible)
    expect(problem).to_contain_text("deleted")
    page.reload()
    expect(page.locator("#yours")).to_be_hidden()


def test_what_another_tab_makes_of_an_upload_shows_on_its_page(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    other = page.context.new_page()
    other.goto(str(card(page).get_by_role("link").first.get_attribute("href")))
    until_ready(card(other))
    _convert_again(page, to="gif")
    look_until(other, status_of(card(other), 2).is_visible)
    until_ready(card(other), 2)


def test_the_back_button_leads_to_the_list_as_it_is_now(running: House, open_page: Open) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    card(page).get_by_role("link", name="flag.png", exact=True).click()
    page.wait_for_url("**/uploads/*")
    _convert_again(page, to="gif")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Turn a file into another format")
    until_ready(card(page), 2)
    expect(page.locator(".card")).to_have_count(1)
    page.go_forward()
    expect(page.get_by_role("heading", level=1)).to_have_text("flag.png")
    until_ready(card(page), 2)


def test_a_list_that_does_not_come_is_asked_for_again(running: House, open_page: Open) -> None:
    until = a_slow_upload(running, seconds=0)
    page = open_page(running, "/healthz")
    listing = re.compile(r"/uploads\?limit=\d+$")
    asked: list[Route] = []

    def refuse(route: Route) -> None:
        asked.append(route)
        route.fulfill(status=503, body="<h1>away</h1>")

    page.route(listing, refuse)
    page.goto("/")
    poll(lambda: page.evaluate("1") and len(asked) > 1)
    expect(page.locator("#trouble")).to_contain_text("asked again by itself")
    page.unroute(listing)
    until_ready(card(page))
    expect(card(page).locator('[data-part="name"]')).to_have_attribute("href", until)
    expect(page.locator("#trouble")).to_be_empty()


def test_what_is_listed_before_its_own_answer_comes_has_one_card(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    page.route("**/uploads", hold)
    convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    expect(page.locator(".card")).to_have_count(1)
    poll(lambda: page.evaluate("1") and held)
    page.evaluate(LOOKED_AT)
    expect(page.locator(".card")).to_have_count(2)  # the page cannot know yet that they are one
    until_ready(card(page))
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(page.locator(".card")).to_have_count(1)
    until_ready(card(page))
    page.evaluate("new Promise((drawn) => setTimeout(drawn, 150))")  # as late as it would show
    expect(page.locator("#all")).to_be_hidden()  # there is one result, not two


def test_a_phone_that_wakes_while_a_large_file_begins_has_one_card_of_it(
    running: House, open_page: Open, large: Path
) -> None:
    page = open_page(running)
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            route.fetch()
            lost.append(route)
        else:
            route.continue_()

    page.route("**/uploads", lose)
    convert(page, large, to="jpg")
    poll(lambda: page.evaluate("1") and lost)
    with page.expect_response(re.compile(r"/uploads\?limit=\d+$")):
        page.evaluate(LOOKED_AT)
    page.evaluate("new Promise((drawn) => setTimeout(drawn, 150))")
    expect(page.locator(".card")).to_have_count(1)
    lost[0].abort("connectionreset")
    until_ready(card(page))
    page.evaluate(LOOKED_AT)
    expect(page.locator(".card")).to_have_count(1)


def _convert_again(page: Page, *, to: str) -> None:
    card(page).get_by_text("Another format").click()
    card(page).get_by_label("Another format for flag.png").select_option(to)
    card(page).get_by_role("button", name="Convert").click()
    until_ready(card(page), 2)
