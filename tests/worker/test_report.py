"""What an outcome asks of the queue."""

import uuid
from datetime import UTC, datetime

import pytest

from app.failures import failure
from app.queue import Claimed
from app.states import Move
from worker.outcome import Broken, Converted, Interrupted, Outcome, Refused
from worker.report import Report

JOB = Claimed(
    job_id=1,
    lease_id=uuid.uuid4(),
    upload_id=uuid.uuid4(),
    number=1,
    kind="image",
    payload={},
    attempt=1,
    storage_key=None,
    run_after=datetime.now(UTC),
)


@pytest.mark.parametrize(
    ("outcome", "move"),
    [
        (Converted(), Move.SUCCEED),
        (Refused("corrupt_input"), Move.FAIL),
        (Broken("converter_crashed"), Move.RETRY),
        (Broken("memory_limit"), Move.FAIL),
        (Broken("machine_memory"), Move.RETRY),
        (Broken("time_limit"), Move.FAIL),
        (Interrupted(), Move.RELEASE),
    ],
)
def test_each_outcome_asks_for_its_move(outcome: Outcome, move: Move) -> None:
    assert Report(JOB, outcome).move is move


@pytest.mark.parametrize(
    ("outcome", "told"),
    [(Converted(), {}), (Refused("corrupt_input"), failure("corrupt_input"))],
)
def test_the_event_of_an_adopted_outcome_names_the_lease_that_had_it(
    outcome: Outcome, told: dict[str, str]
) -> None:
    earlier = uuid.uuid4()
    adopted = Report(JOB, outcome, adopted=earlier).ending
    assert adopted.detail == told | {"adopted": str(earlier)}
    assert Report(JOB, outcome).ending.detail == told
    assert (adopted.error or {}).keys() == told.keys()


def test_what_operators_may_read_goes_into_the_event_and_not_into_the_job() -> None:
    said = Report(JOB, Broken("converter_crashed", log="first\0 line" + "x" * 999 + "last line"))
    assert said.ending.error == failure("converter_crashed")
    assert said.ending.detail == failure("converter_crashed") | {"log": said.ending.detail["log"]}
    log = said.ending.detail["log"]
    assert (log[:10], log[-9:]) == ("first line", "last line")
    assert len(log) < 700
    assert "log" not in Report(JOB, Broken("converter_crashed")).ending.detail
