"""Both sides of the page say the same: the templates (Python) and the modules (JavaScript)."""

from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Page

from app.api import assets, sentences
from app.words import ENGLISH, languages, speaking
from tests.browser.conftest import Open
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

ERROR = {"code": "corrupt_input", "detail": "It is damaged.", "hint": "Save it again."}
PLAIN: dict[str, Any] = {
    "from": "png",
    "to": "webp",
    "status": "queued",
    "progress": 0.0,
    "stage": None,
    "attempt": 0,
    "max_attempts": 3,
    "queue_position": 0,
    "waiting_for": None,
    "retry_reason": None,
    "error": None,
    "result": None,
}
RESULT: dict[str, Any] = {
    "size": 212_345,
    "facts": {"width": 30, "height": 20, "notes": ["Only the first page."]},
}
JOBS: list[dict[str, Any]] = [
    {},
    {"queue_position": 2},
    {"queue_position": 1000},
    {"waiting_for": "No live worker can do png to webp."},
    {"retry_reason": ERROR, "attempt": 1},
    {"retry_reason": ERROR, "attempt": 3},
    {"status": "running", "attempt": 1, "progress": 0.1, "retry_reason": ERROR},
    {"status": "running", "attempt": 1, "progress": 0.29, "stage": "encoding"},
    {"status": "running", "attempt": 2, "progress": 0.999, "retry_reason": ERROR},
    {"status": "running", "attempt": 1, "progress": None},
    {"status": "succeeded", "progress": 1.0, "attempt": 1, "result": RESULT},
    {"status": "succeeded", "attempt": 1, "result": {"size": 2_000_000, "facts": {}}},
    {"status": "failed", "attempt": 3, "error": ERROR},
    {"status": "cancelled"},
]
SIZES = [None, 0, 1, 999, 1000, 1049, 1050, 9949, 9950, 99_499, 999_499, 999_500, 2_503_495]
SIZES += [10**13, 10**16]


@pytest.fixture
def page(running: House, open_page: Open) -> Page:
    return open_page(running)


def test_jobs_are_told_in_the_same_words(page: Page) -> None:
    jobs = [{**PLAIN, **job} for job in JOBS]
    here = [asdict(sentences.tell(ENGLISH, job, 1_000_000)) for job in jobs]
    told = _there(page, "tell(given, 1000000)", jobs)
    assert [{name: one[name] for name in here[0]} for one in told] == here


def test_sizes_and_facts_are_told_in_the_same_words(page: Page) -> None:
    here = [sentences.amount(ENGLISH, size) for size in SIZES]
    assert _there(page, "amount(given)", SIZES) == here
    uploads: list[dict[str, Any]] = [
        {"size": 2_503_495, "format": "heic", "name_says": None, "error": None},
        {"size": None, "format": "jpg", "name_says": "png", "error": ERROR},
        {"size": None, "format": None, "name_says": None, "error": ERROR},
    ]
    here = [sentences.facts(ENGLISH, one) for one in uploads]
    assert _there(page, "facts(given)", uploads) == here
    here = [sentences.problem_of(ENGLISH, one) for one in uploads]
    assert _there(page, "problemOf(given)", uploads) == here


def test_what_is_on_its_way_is_told_in_the_same_words(page: Page) -> None:
    ways: list[tuple[int, int | None]] = [(0, 9), (5, 9), (9, 9), (5, None)]
    given = [{"there": there, "total": total} for there, total in ways]
    told = _there(page, "tellArriving(given)", given, module="told.js")
    sent = [{"received": there, "size": total} for there, total in ways]
    here = [asdict(sentences.arriving(ENGLISH, one)) for one in sent]
    assert [{name: one[name] for name in here[0]} for one in told] == here


def test_sending_never_says_a_hundred_per_cent(page: Page) -> None:
    ways = [{"there": there, "total": 1000} for there in (0, 500, 999, 1000, 1200)]
    told = _there(page, "tellSending(given)", ways, module="told.js")
    assert [one["percent"] for one in told] == [0, 50, 99, 99, 99]
    assert [one["status"] for one in told[2:4]] == ["Sending 99 %", "Sent, being stored"]


@pytest.mark.parametrize(
    ("seconds", "said"), [(604_800, "7 days"), (86_400, "1 day"), (90, "1 minute"), (0, "a moment")]
)
def test_a_span_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert sentences.span(ENGLISH, seconds) == said


def test_a_limit_is_never_told_larger_than_it_is() -> None:
    assert sentences.at_most(ENGLISH, 10 * 1024**3) == "10 GB"
    assert sentences.at_most(ENGLISH, 999) == "999 bytes"


def test_words_of_others_that_no_table_knows_stay_as_they_are(page: Page) -> None:
    given = ["encoding", "constructor", "{name}"]
    assert _there(page, "translated(given)", given, module="words.js") == given


@pytest.mark.parametrize("language", languages())
def test_numbers_and_plural_forms_are_those_of_the_browser(page: Page, language: str) -> None:
    words = speaking(language)
    counts = [*range(130), 1000, 1_000_000]
    forms = page.evaluate(
        "([language, counts]) => counts.map((one) => new Intl.PluralRules(language).select(one))",
        [language, counts],
    )
    assert [words._form(count) for count in counts] == forms
    numbers = [0, 2.5, 1000, 1_234_567]
    written = page.evaluate(
        """([language, numbers]) => {
            const how = { useGrouping: true, numberingSystem: "latn" };
            return numbers.map((one) => new Intl.NumberFormat(language, how).format(one));
        }""",
        [language, numbers],
    )
    assert [words.number(f"{number:,}") for number in numbers] == written


def _there(page: Page, call: str, given: list[Any], *, module: str = "sentences.js") -> Any:
    """Run a function of the module in the browser for each value."""
    module = assets.address(module)
    function = call.partition("(")[0]
    return page.evaluate(
        f"""async (all) => {{
            const {{ {function} }} = await import("{module}");
            return all.map((given) => {call});
        }}""",
        given,
    )
