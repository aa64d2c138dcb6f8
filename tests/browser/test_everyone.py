"""The page for everyone: without scripts, without a mouse, on a small screen, without jumps."""

import pytest
from playwright.sync_api import Page, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import (
    a_file,
    a_slow_upload,
    card,
    choose,
    convert,
    download,
    status_of,
    until_ready,
)
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

WATCH_JUMPS = """
window.jumps = 0;
const note = (entries) => {
  for (const entry of entries) if (!entry.hadRecentInput) window.jumps += entry.value;
};
window.jumping = new PerformanceObserver((list) => note(list.getEntries()));
window.noteJumps = () => note(jumping.takeRecords());
jumping.observe({ type: "layout-shift", buffered: true });
"""
# What a hand has moved is drawn: on a busy machine that takes longer than a browser allows for it.
MOVED_BY_HAND = """new Promise((drawn) => {
  const count = () => {
    noteJumps();
    drawn((window.jumps = 0));
  };
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(count)));
})"""
FOCUS = """selector => {
  const one = document.activeElement;
  if (one === document.body) return [false, true];
  const ringed = one.closest("#zone") ?? one;
  return [one.matches(selector), getComputedStyle(ringed).outlineStyle !== "none"];
}"""
# How wide a page is, how much it is enlarged, how large letters are.
SMALL = {
    "on a small phone": (320, 3, "100%"),
    "at a zoom of 200 %": (640, 2, "100%"),
    "with letters twice as large": (1000, 1, "200%"),
}
LETTERS = "document.documentElement.style.fontSize"
# What stands beyond the edge, and text that its box hides; a name on a card is whole on its page.
CUT_OFF = """() => [...document.body.querySelectorAll("*")]
    .filter((one) => one.checkVisibility() && !one.closest(".unseen, .skip, svg, select, .name *"))
    .filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        const isFull =
            one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
        const isHiding = isFull && getComputedStyle(one).overflow !== "visible";
        const isOut = left < -1 || right > innerWidth + 1;
        return isOut || (isHiding && !one.matches(".name, input"));
    })
    .map((one) => one.outerHTML.slice(0, 200))"""
LONG = "a-name-that-a-camera-made-and-nobody-ever-shortened-" * 4 + ".png"


def test_without_scripts_a_form_brings_the_file_and_the_page_renews_itself(
    running: House, open_page: Open
) -> None:
    page = open_page(running, java_script_enabled=False)
    page.set_input_files("#file", a_file("flag.png", samples.sample("png")))
    page.get_by_label("Convert to", exact=True).select_option("webp")
    page.get_by_role("button", name="Convert").click()
    page.wait_for_url("**/uploads/*")
    until_ready(card(page))  # nothing but the page's own refresh can show it
    name, content = download(page, card(page).get_by_role("link", name="Download"))
    assert (name, content[8:12]) == ("flag.webp", b"WEBP")


def test_without_scripts_buttons_cancel_try_again_and_convert(
    running: House, open_page: Open
) -> None:
    page = open_page(running, a_slow_upload(running), java_script_enabled=False)
    card(page).get_by_role("button", name="Cancel").click()
    expect(status_of(card(page))).to_have_text("Cancelled")
    card(page).get_by_role("button", name="Try again").click()
    expect(status_of(card(page))).to_contain_text("Converting")
    card(page).get_by_role("button", name="Cancel").click()
    expect(status_of(card(page))).to_have_text("Cancelled")  # from here on it renews itself no more
    card(page).get_by_text("Another format").click()
    card(page).get_by_label("Another format").select_option("gif")
    card(page).get_by_role("button", name="Convert").click()
    until_ready(card(page), 2)


def test_without_scripts_the_list_is_a_page_of_its_own(running: House, open_page: Open) -> None:
    paths = [a_slow_upload(running, seconds=0) for _ in range(2)]
    page = open_page(running, java_script_enabled=False)
    page.get_by_role("link", name="Your files").click()
    expect(page.locator(".card")).to_have_count(2)
    for index, path in enumerate(reversed(paths)):
        until_ready(card(page, index))
        expect(
            card(page, index).get_by_role("link", name="slow.png", exact=True)
        ).to_have_attribute("href", path)
    page.goto("/uploads?limit=1")
    page.get_by_role("link", name="Show older ones").click()
    expect(card(page).get_by_role("link", name="slow.png", exact=True)).to_have_attribute(
        "href", paths[0]
    )
    scripted = open_page(running, "/uploads")
    scripted.get_by_role("button", name="Delete slow.png").first.click()
    expect(scripted.locator(".card")).to_have_count(1)


def test_without_scripts_a_button_deletes(running: House, open_page: Open) -> None:
    path = a_slow_upload(running)
    page = open_page(running, path, java_script_enabled=False)
    card(page).get_by_role("button", name="Delete slow.png").click()
    page.wait_for_url(f"http://127.0.0.1:{running.api_port}/")
    with running.client() as client:
        assert client.get(path).status_code == 410


def test_without_scripts_nothing_is_offered_that_needs_them(
    running: House, open_page: Open
) -> None:
    page = open_page(running, java_script_enabled=False)
    expect(page.get_by_text("Drop files here")).to_be_hidden()
    expect(page.locator("#options")).to_be_hidden()
    assert page.locator("#file").evaluate("field => field.multiple") is False


def test_a_keyboard_is_enough(running: House, open_page: Open) -> None:
    page = open_page(running)
    page.on("filechooser", lambda _: None)  # a key is faster than the wish to catch the dialogue
    _tab_to(page, "#file")
    with page.expect_file_chooser() as dialogue:
        page.keyboard.press("Enter")
    dialogue.value.set_files(a_file("flag.png", samples.sample("png")))
    expect(page.locator("#chosen li")).to_have_count(1)
    _tab_to(page, "#to")
    page.keyboard.type("GIF")
    _tab_to(page, "#go")
    page.keyboard.press("Enter")
    until_ready(card(page))
    _tab_to(page, '[data-part="download"]')
    with page.expect_download() as arriving:
        page.keyboard.press("Enter")
    assert arriving.value.suggested_filename == "flag.gif"


def test_the_focus_stays_where_the_button_was(running: House, open_page: Open) -> None:
    page = open_page(running, a_slow_upload(running))
    slow = card(page)
    for button, after in (("Cancel", "Try again"), ("Try again", "Cancel")):
        slow.get_by_role("button", name=button).focus()
        page.keyboard.press("Enter")
        expect(slow.get_by_role("button", name=after)).to_be_focused()
    slow.get_by_text("Another format").click()
    slow.get_by_role("button", name="Convert").focus()
    page.keyboard.press("Enter")
    expect(slow.locator('[data-part="another"] summary')).to_be_focused()


@pytest.mark.parametrize("eyes", SMALL)
def test_nothing_has_to_be_moved_sideways_and_nothing_is_cut_off(
    running: House, open_page: Open, eyes: str
) -> None:
    width, scale, letters = SMALL[eyes]
    size = {"width": width, "height": 640}
    page = open_page(running, viewport=size, device_scale_factor=scale)
    page.add_init_script(f"addEventListener('load', () => {{ {LETTERS} = '{letters}' }})")
    page.reload()
    choose(page, a_file(LONG, samples.sample("png")), a_file("half.png", samples.sample("png")))
    page.locator("#options summary").click()
    expect(page.get_by_label("Quality")).to_be_visible()
    _fits(page)
    page.locator("#go").click()
    for index in range(2):
        until_ready(card(page, index))
    damaged = convert(page, a_file(LONG, samples.sample("png")[:200]), to="webp")
    expect(damaged.locator(".job")).to_have_attribute("data-tone", "bad")
    damaged.get_by_text("Another format").click()
    _fits(page)
    for path in (str(damaged.get_by_role("link").first.get_attribute("href")), "/nowhere"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        _fits(page)


@pytest.mark.parametrize("width", [320, 1100])
def test_nothing_jumps_on_the_way(running: House, open_page: Open, width: int) -> None:
    page = open_page(running, "/healthz", viewport={"width": width, "height": 800})
    page.add_init_script(WATCH_JUMPS)
    page.goto("/")
    for name in ("one.png", "two.png"):
        sent = convert(page, a_file(name, samples.sample("png")), to="webp")
        page.evaluate(MOVED_BY_HAND)
        until_ready(sent)
        assert _jumps(page) < 0.005
    page.reload()
    until_ready(card(page, 1))
    assert _jumps(page) < 0.05  # the line at the end makes room for the cards
    page.goto(str(card(page).get_by_role("link").first.get_attribute("href")))
    expect(card(page).get_by_text("Another format")).to_be_visible()
    assert _jumps(page) < 0.005


def test_what_happens_is_said_to_those_who_do_not_see_it(running: House, open_page: Open) -> None:
    page = open_page(running)
    voice = page.locator('[aria-live="polite"]')
    convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    expect(voice).to_contain_text("flag.png to WEBP: Ready")


def test_each_field_and_button_has_a_name(running: House, open_page: Open) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    page.locator("#options summary").click()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("main :is(input, select, button, a, progress)")]
            .filter((one) => !(one.labels?.length || one.ariaLabel || one.textContent.trim()))
            .map((one) => one.outerHTML)"""
    )
    assert nameless == []


def _jumps(page: Page) -> float:
    jumps: float = page.evaluate("noteJumps() ?? jumps")
    return jumps


def _fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url
    assert page.evaluate(CUT_OFF) == [], page.url


def _tab_to(page: Page, selector: str) -> None:
    """Press Tab until this has the focus, which is seen at each stop."""
    for _ in range(40):
        page.keyboard.press("Tab")
        is_there, is_seen = page.evaluate(FOCUS, selector)
        assert is_seen, f"the focus cannot be seen on the way to {selector}"
        if is_there:
            return
    raise AssertionError(f"the keyboard never comes to {selector}")
