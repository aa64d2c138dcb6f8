"""Results on the page: a picture, a player, the first rows, the link; all of it harmless."""

import io
import json
import re
import wave
import zipfile
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Request, expect

from tests import samples
from tests.browser.conftest import Open
from tests.browser.steps import a_file, card, convert, download, until_ready
from tests.polling import poll
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

IN_ITS_SIZE = {"videoWidth": samples.SIZE[0], "videoHeight": samples.SIZE[1]}


def test_a_picture_shows_itself_and_is_there_again_on_return(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    for _ in range(2):
        picture = card(page).locator('[data-part="badge"] img')
        expect(picture).to_have_js_property("naturalWidth", samples.SIZE[0])
        page.reload()
    card(page).get_by_label("Look at it: flag.png").click()
    expect(card(page).get_by_role("img", name="flag.webp")).to_be_visible()


def test_the_first_rows_of_a_table_come_as_text_and_as_few_bytes(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    rows = [
        {"name": f'<img src=x onerror="a">, {number}', "more": "x" * 60} for number in range(99)
    ]
    sent = convert(page, a_file("people.json", json.dumps(rows).encode()), to="csv")
    until_ready(sent)
    asked: list[Request] = []
    page.on("request", lambda one: asked.append(one))  # noqa: PLW0108  # it marks its handlers
    sent.get_by_label("First rows: people.json").click()
    expect(sent.locator("tr")).to_have_count(8)
    expect(sent.locator("tr").nth(1).locator("td").first).to_have_text(rows[0]["name"])
    assert sent.locator("[onerror]").count() == 0
    ranges = [one.headers["range"] for one in asked if "range" in one.headers]
    assert ranges == ["bytes=0-4095"]


def test_wide_rows_widen_no_page_and_the_keyboard_moves_them(
    running: House, open_page: Open
) -> None:
    page = open_page(running, viewport={"width": 320, "height": 640})
    rows = [{f"column number {number}": "x" * 40 for number in range(14)} for _ in range(20)]
    sent = convert(page, a_file("people.json", json.dumps(rows).encode()), to="csv")
    until_ready(sent)
    sent.get_by_label("First rows: people.json").click()
    expect(sent.locator("tr")).not_to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    stage = sent.get_by_role("region", name="The first rows of people.csv")
    assert stage.evaluate("one => one.scrollWidth > one.clientWidth")
    stage.focus()
    page.keyboard.press("ArrowRight")
    poll(lambda: stage.evaluate("one => one.scrollLeft") > 0)


def test_the_first_records_of_a_json_file_stand_each_in_a_row(
    running: House, open_page: Open
) -> None:
    page = open_page(running)
    sent = convert(page, a_file("pair.csv", b"name,count\nx,1\ny,2\n"), to="json")
    until_ready(sent)
    _, content = download(page, sent.get_by_role("link", name="Download pair.csv"))
    sent.get_by_label("First rows: pair.csv").click()
    expect(sent.locator("td").first).to_contain_text("{")
    shown = [json.loads(text) for text in sent.locator("td").all_inner_texts()]
    assert shown == json.loads(content)


@pytest.mark.parametrize(("target", "names"), [("xlsx", []), ("parquet", ["column_1", "column_2"])])
def test_the_first_rows_of_what_no_browser_reads_were_told_by_the_worker(
    running: House, open_page: Open, target: str, names: list[str]
) -> None:
    page = open_page(running)
    sent = convert(page, a_file("pair.csv", b"name,count\n<b>x</b>,1\ny,\n"), to=target)
    until_ready(sent)
    sent.get_by_label("First rows: pair.csv").click()
    expect(sent.locator("td")).to_have_text([*names, "name", "count", "<b>x</b>", "1", "y", ""])


@pytest.mark.parametrize(
    ("name", "made", "shown"),
    [
        ("tone.wav", "tone.flac", {"localName": "audio", "duration": 0.25}),
        ("film.gif", "film.webm", {"localName": "video", **IN_ITS_SIZE}),
    ],
)
def test_a_recording_can_be_played_and_put_away(
    running: House, open_page: Open, name: str, made: str, shown: dict[str, Any]
) -> None:
    page = open_page(running)
    content = {"tone.wav": _a_tone, "film.gif": _a_film}[name]()
    sent = convert(page, a_file(name, content), to=made.partition(".")[2])
    until_ready(sent)
    assert sent.locator("audio, video").count() == 0  # nothing is fetched before it is wanted
    sent.get_by_label(f"Play: {name}").click()
    player = sent.get_by_label(made)
    for what, value in shown.items():
        expect(player).to_have_js_property(what, value)
    player.evaluate("player => player.play()")
    expect(player).to_have_js_property("ended", value=True)
    sent.get_by_label(f"Play: {name}").click()
    expect(player).to_have_count(0)


def test_the_first_page_of_a_document_stands_in_a_viewer_of_the_browser(
    running: House, open_page: Open
) -> None:
    page = open_page(running, viewport={"width": 1000, "height": 1400})
    flag = samples.encoded(samples.flag((600, 400)), "png")
    sent = convert(page, a_file("flag.png", flag), to="pdf")
    until_ready(sent)
    assert sent.locator("iframe").count() == 0  # nothing is fetched before somebody wants it
    with page.expect_response(re.compile(r"/result\?inline$")) as arriving:
        sent.get_by_label("First page: flag.png").click()
    headers = arriving.value.all_headers()
    assert headers["content-type"] == "application/pdf"
    assert headers["content-disposition"].startswith("inline; ")
    frame = sent.get_by_title("The first page of flag.pdf")
    poll(lambda: _is_flag(frame.screenshot()))


def test_all_results_come_in_one_zip(running: House, open_page: Open) -> None:
    page = open_page(running)
    every = page.get_by_role("link", name="Download all as a ZIP")
    until_ready(convert(page, a_file("flag.png", samples.sample("png")), to="webp"))
    expect(every).to_be_hidden()
    until_ready(convert(page, a_file("other.png", samples.sample("png")), to="gif"))
    assert _names_in(page, every) == ["flag.webp", "other.gif"]
    card(page).get_by_text("Another format").click()
    card(page).get_by_label("Another format").select_option("webp")
    card(page).get_by_role("button", name="Convert").click()
    until_ready(card(page), 2)
    page.goto(str(card(page).get_by_role("link").first.get_attribute("href")))
    own = card(page).get_by_role("link", name="Download all that was made of other.png")
    assert _names_in(page, own) == ["other.gif", "other.webp"]
    page = open_page(running, page.url, java_script_enabled=False)
    assert _names_in(page, card(page).get_by_role("link", name="Download all")) != []


def test_the_link_is_copied_and_whoever_has_it_may_fetch_and_not_change(
    running: House, open_page: Open
) -> None:
    page = open_page(running, permissions=["clipboard-read", "clipboard-write"])
    sent = convert(page, a_file("flag.png", samples.sample("png")), to="webp")
    until_ready(sent)
    sent.get_by_role("button", name="Copy link: flag.png").click()
    expect(sent.get_by_text("The link is copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    page.context.clear_cookies()
    page.goto(link)
    expect(card(page).get_by_role("link", name="Download")).to_be_visible()
    expect(card(page).get_by_role("button", name="Delete")).to_have_count(0)
    expect(card(page).get_by_text("Another format")).to_be_hidden()


def _is_flag(picture: bytes) -> bool:
    """Whether each colour of the flag is seen, as near as a JPEG inside may keep it."""
    seen = Image.open(io.BytesIO(picture)).convert("RGB").getcolors(1_000_000) or []
    colours = (samples.RED, samples.GREEN, samples.BLUE, samples.YELLOW)
    return all(any(_are_alike(colour, pixel) for _, pixel in seen) for colour in colours)


def _are_alike(one: tuple[int, ...], other: Any) -> bool:
    return all(abs(here - there) < 9 for here, there in zip(one, other, strict=True))


def _names_in(page: Page, link: Locator) -> list[str]:
    """Download a zip and return the names in it."""
    name, content = download(page, link)
    assert name.endswith(".zip")
    return sorted(zipfile.ZipFile(io.BytesIO(content)).namelist())


def _a_film() -> bytes:
    out, first = io.BytesIO(), samples.flag()
    last = first.transpose(Image.Transpose.ROTATE_180)
    first.save(out, "GIF", save_all=True, append_images=[last], duration=200)
    return out.getvalue()


def _a_tone() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as tone:
        tone.setnchannels(1)
        tone.setsampwidth(2)
        tone.setframerate(8000)
        tone.writeframes(bytes(4_000))
    return out.getvalue()
