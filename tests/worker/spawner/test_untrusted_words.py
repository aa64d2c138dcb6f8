"""What a cell says is believed only where it fits: it may be in hostile hands."""

import json
import time

import pytest

from tests.worker.spawner.making import WAITS, Convert, MakeTask
from worker.outcome import Broken, Converted, Refused
from worker.spawner.client import Spawner
from worker.spawner.hearsay import DATAGRAM_LIMIT, Hearsay

HALFWAY = b'{"progress": 0.5, "stage": "half"}'


@pytest.fixture
def hearsay() -> Hearsay:
    hearsay = Hearsay()
    hearsay.hear(HALFWAY)
    return hearsay


@pytest.mark.parametrize(
    "poison",
    [
        b"",
        b"{",
        b"7",
        b"null",
        b"\xff\xfe\x00",
        b"[" * 50_000,
        b'{"progress": 0.9}',
        b'{"stage": "none"}',
        b'{"progress": NaN, "stage": "x"}',
        b'{"progress": Infinity, "stage": "x"}',
        b'{"progress": 1e308, "stage": "x"}',
        b'{"progress": 1e400, "stage": "x"}',
        b'{"progress": -0.1, "stage": "x"}',
        b'{"progress": true, "stage": "x"}',
        b'{"progress": "0.9", "stage": "x"}',
        b'{"progress": null, "stage": "x"}',
        b'{"progress": [0.9], "stage": "x"}',
        b'{"progress": ' + b"9" * 5_000 + b', "stage": "x"}',
        b'{"progress": 0.9, "stage": {"not": "text"}}',
        b'{"progress": 0.9, "stage": "' + b"x" * DATAGRAM_LIMIT + b'"}',
        b'{"outcome": "succeeded"}',
        b'{"outcome": null}',
        b'{"outcome": "converted"}',
        b'{"outcome": "converted", "facts": [1]}',
        b'{"outcome": "converted", "facts": {"x": NaN}}',
        b'{"outcome": "converted", "facts": {"x": [-1e999]}}',
        b'{"outcome": "converted", "facts": ' + b'{"x": ' * 20 + b"1" + b"}" * 21,
        b'{"outcome": "refused", "code": "no_such_code"}',
        b'{"outcome": "refused", "code": ["corrupt_input"]}',
        b'{"outcome": "refused", "code": "corrupt_input", "detail": 7}',
        b'{"outcome": "broken", "code": "converter_crashed", "log": 7}',
    ],
)
def test_nonsense_changes_nothing_and_is_remembered(hearsay: Hearsay, poison: bytes) -> None:
    hearsay.hear(poison)
    assert (hearsay.progress, hearsay.stage, hearsay.said) == (0.5, "half", None)
    assert hearsay.nonsense.startswith("the cell sent nonsense")


def test_progress_never_goes_back(hearsay: Hearsay) -> None:
    hearsay.hear(b'{"progress": 0.2, "stage": "earlier"}')
    assert (hearsay.progress, hearsay.stage) == (0.5, "half")
    assert not hearsay.nonsense


def test_only_real_progress_counts_as_a_move(hearsay: Hearsay) -> None:
    before = hearsay.moved_at = time.monotonic() - 100
    hearsay.hear(b'{"progress": 0.5, "stage": "still here"}')
    hearsay.hear(b'{"progress": 0.50000001, "stage": "still here"}')
    hearsay.hear(b"nonsense")
    assert hearsay.moved_at == before
    hearsay.hear(b'{"progress": 0.51, "stage": "on"}')
    assert hearsay.moved_at > before + 99


def test_only_a_recorded_success_is_complete(hearsay: Hearsay) -> None:
    hearsay.hear(b'{"progress": 1, "stage": "done"}')
    assert hearsay.progress == 0.99


def test_a_progress_that_no_column_holds_is_none() -> None:
    hearsay = Hearsay()
    hearsay.hear(b'{"progress": 1e-300, "stage": "tiny"}')  # underflows in a `real`
    assert hearsay.progress == 0


def test_the_stage_is_cleaned(hearsay: Hearsay) -> None:
    hearsay.hear(b'{"progress": 0.6, "stage": "a\\u0000b\\ud800c\\u001b[31m' + b"d" * 200 + b'"}')
    assert hearsay.stage.startswith("a b c [31md")
    assert len(hearsay.stage) == 100


def test_facts_are_cleaned_to_their_depth(hearsay: Hearsay) -> None:
    facts = {"nul\0": "a\0b", "list": ["\ud800", 1, 2.5, None, True, {"deep": "\x1b"}]}
    hearsay.hear(json.dumps({"outcome": "converted", "facts": facts}).encode())
    assert hearsay.said == Converted({"nul": "a b", "list": ["", 1, 2.5, None, True, {"deep": ""}]})


def test_the_first_outcome_stays(hearsay: Hearsay) -> None:
    hearsay.hear(b'{"outcome": "refused", "code": "corrupt_input", "detail": "bad\\u0000"}')
    hearsay.hear(b'{"outcome": "converted", "facts": {}}')
    assert hearsay.said == Refused("corrupt_input", "bad")


def test_a_log_keeps_its_lines(hearsay: Hearsay) -> None:
    message = {"outcome": "broken", "code": "converter_crashed", "log": "one\n\n\x1b[1mtwo\0"}
    hearsay.hear(json.dumps(message).encode())
    assert hearsay.said == Broken("converter_crashed", None, "one\n[1mtwo")


def test_a_cell_that_writes_past_its_reporter_is_still_heard(convert: Convert) -> None:
    cell = convert("forge")
    assert isinstance(cell.outcome(), Converted)
    assert (cell.progress, cell.stage) == (0.5, "half [31m")


def test_a_success_that_no_row_could_hold_is_a_crash(convert: Convert) -> None:
    outcome = convert("lie").outcome()
    assert isinstance(outcome, Broken)
    assert "not finite" in outcome.log


def test_progress_arrives_while_the_conversion_runs(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    """Each step waits until a test has seen the one before."""
    task = make_task(convert=WAITS, options={"steps": 9})
    seen: list[float] = []
    with shared_spawner.cell(task) as cell:
        for step in range(1, 10):
            while cell.progress < step / 10 and not cell.wait(timeout=0.02):
                pass
            seen.append(cell.progress)
            assert cell.stage == f"step {step}"
            (task.scratch / f"go-{step}").touch()
        (task.scratch / "go").touch()
        assert cell.wait(timeout=100)
    assert seen == [step / 10 for step in range(1, 10)]


def test_who_talks_too_much_is_throttled_and_loses_no_outcome(
    shared_spawner: Spawner, make_task: MakeTask
) -> None:
    with shared_spawner.cell(make_task("chatter")) as cell:
        assert cell.wait(timeout=100)
        assert isinstance(cell.outcome(), Converted)
        assert cell.ending
        assert cell.ending.cpu_seconds < 2  # 200,000 calls
