"""What an outcome asks of the queue."""

import uuid

import pytest

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
)


@pytest.mark.parametrize(
    ("outcome", "move"),
    [
        (Converted(), Move.SUCCEED),
        (Refused("corrupt_input"), Move.FAIL),
        (Broken("converter_crashed"), Move.RETRY),
        (Broken("memory_limit"), Move.RETRY),
        (Broken("time_limit"), Move.FAIL),
        (Interrupted(), Move.RELEASE),
    ],
)
def test_each_outcome_asks_for_its_move(outcome: Outcome, move: Move) -> None:
    assert Report(JOB, outcome).move is move
