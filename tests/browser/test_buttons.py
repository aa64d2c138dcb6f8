"""Buttons of a card: pressed twice they do it once; what they are refused stays to be read."""

import re

import pytest
from playwright.sync_api import Locator, Page, Response, Route, expect

from app.api import assets
from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import a_file, card, choose, convert, holding, look_until, until_ready
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

REFUSAL = "The upload has as many jobs as one upload may have. Upload the file once more."
DOCUMENT = re.compile(r"/uploads/[\w-]+$")
# A place is taken away twice.
REMOVE_TWICE = """async address => {
    const { List, Place } = await import(address);
    const [section, cards, more, otherwise] = ["section", "div", "button", "input"].map(
        (name) => document.createElement(name));
    const list = new List({ section, cards, more, otherwise });
    const places = [new Place(), new Place()];
    list.putFirst(places);
    list.remove(places[0]);
    list.remove(places[0]);
    return list.places.includes(places[1]);
}"""


def test_a_double_click_on_delete_deletes_one_file(running: House, open_page: Open) -> None:
    page = open_page(running)
    _sent(page, "a.png", "b.png", "c.png")
    _click_twice_in_one_place(page, card(page).get_by_role("button", name="Delete c.png"))
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator("#said")).to_have_text("c.png is deleted.")
    assert _listed(running) == ["b.png", "a.png"]


def test_a_double_click_takes_one_of_the_chosen_files_away_and_begins_once(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    choose(page, *[a_file(name, samples.sample("png")) for name in ("a.png", "b.png", "c.png")])
    _click_twice_in_one_place(page, page.get_by_role("button", name="Remove a.png"))
    expect(page.locator("#chosen .name")).to_have_text(["b.png", "c.png"])
    page.locator("#go").dblclick()
    expect(page.locator(".card")).to_have_count(2)
    expect(page.get_by_role("alert")).to_be_empty()


def test_delete_that_is_pressed_again_before_its_answer_is_asked_once(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    _sent(page, "a.png", "b.png")
    held: list[Route] = []
    page.route("**/uploads/*", holding(held, "DELETE"))
    for _ in range(2):
        card(page).get_by_role("button", name="Delete b.png").click()
    poll(lambda: page.evaluate("1") and held)
    held[0].continue_()
    expect(page.locator(".card")).to_have_count(1)
    assert len(held) == 1
    assert _listed(running) == ["a.png"]


def test_a_place_that_is_gone_takes_no_other_with_it(running: House, open_page: Open) -> None:
    page = open_page(running)
    assert page.evaluate(REMOVE_TWICE, assets.address("list.js")) is True


@pytest.mark.parametrize("button", ["Delete", "Convert"])
def test_what_a_button_is_refused_is_said_until_the_next_is_pressed(
    running: House, open_page: Open, button: str
) -> None:
    page = open_page(running)
    _sent(page, "flag.png")
    refused = {
        "code": "too_many_jobs",
        "detail": REFUSAL.split(". ", maxsplit=1)[0] + ".",
        "hint": REFUSAL.split(". ")[1],
    }

    def answer(route: Route) -> None:
        if route.request.method == "GET":
            route.continue_()
        else:
            route.fulfill(status=409, json=refused)

    page.route("**/uploads/**", answer)
    card(page).get_by_text("Another format").click()
    with page.expect_response(_is_document):
        card(page).get_by_role("button", name=button).click()
    problem = card(page).locator('[data-part="problem"]')
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    expect(problem).to_have_text(REFUSAL)
    page.unroute("**/uploads/**")
    card(page).get_by_label("Another format for flag.png").select_option("gif")
    card(page).get_by_role("button", name="Convert").click()
    until_ready(card(page), 2)
    expect(problem).to_be_hidden()


def test_a_file_that_ends_without_a_job_keeps_the_focus_and_is_spoken_of(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    held: list[Route] = []
    page.route("**/uploads/*", holding(held, "GET"))
    sent = convert(page, a_file("odd.bin", b"\x01\x02nothing\xff" * 900))
    cancel = sent.get_by_role("button", name="Cancel")
    cancel.focus()
    poll(lambda: page.evaluate("1") and held)
    held[0].continue_()
    expect(sent.locator('[data-part="problem"]')).to_contain_text("no format")
    expect(sent.get_by_role("link", name="odd.bin")).to_be_focused()
    expect(page.locator("#said")).to_contain_text("odd.bin: The bytes of the file are of no format")


def test_what_is_deleted_elsewhere_keeps_the_focus_and_is_spoken_of(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    _sent(page, "flag.png")
    card(page).get_by_role("link", name="Download").focus()
    with running.client() as client:
        client.delete(str(card(page).get_by_role("link").first.get_attribute("href")))
    look_until(page, card(page).locator('[data-part="problem"]').is_visible)
    expect(page.locator("#said")).to_contain_text("The upload was deleted.")
    expect(card(page).get_by_role("link", name="flag.png", exact=True)).to_be_focused()
    expect(card(page).get_by_text("Another format")).to_be_hidden()


def _is_document(answer: Response) -> bool:
    return answer.request.method == "GET" and bool(DOCUMENT.search(answer.url))


def _sent(page: Page, *names: str) -> None:
    """Send pictures one after the other: the last one is the first in the list."""
    for name in names:
        until_ready(convert(page, a_file(name, samples.sample("png")), to="webp"))


def _click_twice_in_one_place(page: Page, button: Locator) -> None:
    """As a hand does, which does not see what has come below it meanwhile."""
    button.click(position={"x": 5, "y": 5})  # once nothing moves any more
    expect(button).to_have_count(0)
    page.mouse.down(click_count=2)
    page.mouse.up(click_count=2)


def _listed(house: House) -> list[str]:
    with house.client() as client:
        return [one["name"] for one in client.get("/uploads").json()["uploads"]]
