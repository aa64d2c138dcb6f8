"""Both sides of the page say the same: the templates (Python) and the modules (JavaScript)."""

from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Page

from app.api import assets, sentences
from tests.browser.conftest import Open
from tests.system.house import House

pytestmark = [pytest.mark.browser, pytest.mark.system]

ERROR = {"code": "corrupt_input", "detail": "It is damaged.", "hint": "Save it again."}
PLAIN: dict[str, Any] = {
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
SIZES = [None, 0, 1, 999, 1000, 1049, 1050, 9949, 9950, 99_499, 999_499, 999_500, 2_503_495, 10**13]


@pytest.fixture
def page(running: House, open_page: Open) -> Page:
    return open_page(running)


def test_jobs_are_told_in_the_same_words(page: Page) -> None:
    jobs = [{**PLAIN, **job} for job in JOBS]
    here = [asdict(sentences.tell(job, 1_000_000)) for job in jobs]
    assert _there(page, "tell(given, 1000000)", jobs) == here


def test_sizes_and_facts_are_told_in_the_same_words(page: Page) -> None:
    assert _there(page, "amount(given)", SIZES) == [sentences.amount(size) for size in SIZES]
    uploads: list[dict[str, Any]] = [
        {"size": 2_503_495, "format": "heic", "name_disagrees": None, "error": None},
        {"size": None, "format": None, "name_disagrees": "The name says png.", "error": ERROR},
    ]
    assert _there(page, "facts(given)", uploads) == [sentences.facts(one) for one in uploads]
    here = [sentences.problem_of(one) for one in uploads]
    assert _there(page, "problemOf(given)", uploads) == here


def test_what_is_on_its_way_is_told_in_the_same_words(page: Page) -> None:
    ways: list[tuple[int, int | None]] = [(0, 9), (5, 9), (9, 9), (5, None)]
    given = [{"there": there, "total": total} for there, total in ways]
    told = _there(page, "tellArriving(given)", given, module="told.js")
    here = [asdict(sentences.arriving({"received": there, "size": total})) for there, total in ways]
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
    assert sentences.span(seconds) == said


def test_a_limit_is_never_told_larger_than_it_is() -> None:
    assert sentences.at_most(10 * 1024**3) == "10 GB"
    assert sentences.at_most(999) == "999 bytes"


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
