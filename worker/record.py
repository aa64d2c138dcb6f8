"""Records outcomes in batches, and says of each what became of it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

from sqlalchemy.exc import DataError, IntegrityError, StatementError
from sqlalchemy.orm import Session

from app import queue
from app.db import is_away
from app.failures import failure
from app.log import get_logger
from app.queue import Ending, Standing
from app.states import Move
from worker.report import Report
from worker.seat import Seat

log = get_logger()
Statement = Callable[[Session, Sequence[Ending]], set[UUID]]


def record(
    seat: Seat,
    reports: Sequence[Report],
    *,
    backoff_seconds: float,
    succeed: Statement | None = None,
) -> dict[UUID, Standing]:
    """Make the move that each report asks for; one statement for those that make the same one.

    `succeed` may do more than queue.succeed, which alone is tried when a value was refused.
    """
    endings: dict[Move, list[Ending]] = defaultdict(list)
    for report in reports:
        endings[report.move].append(report.ending)
    statements: dict[Move, Statement] = {
        Move.SUCCEED: queue.succeed,
        Move.FAIL: queue.fail,
        Move.RELEASE: queue.release,
        Move.RETRY: lambda session, some: queue.retry(
            session, some, backoff_seconds=backoff_seconds
        ),
    }
    standings: dict[UUID, Standing] = {}
    if succeed is not None:
        try:
            standings = _move(seat, Move.SUCCEED, endings[Move.SUCCEED], succeed)
            del endings[Move.SUCCEED]
        except (StatementError, ValueError) as error:
            if not _is_poison(error):
                raise
    for move, some in endings.items():
        standings |= _move_all(seat, move, some, statements)
    return standings


def _move_all(
    seat: Seat,
    move: Move,
    endings: list[Ending],
    statements: dict[Move, Statement],
) -> dict[UUID, Standing]:
    try:
        return _move(seat, move, endings, statements[move])
    except (StatementError, ValueError) as error:
        if not _is_poison(error):
            raise
        if len(endings) > 1:  # one value that no row can hold must not cost the others
            standings: dict[UUID, Standing] = {}
            for ending in endings:
                standings |= _move_all(seat, move, [ending], statements)
            return standings
        log.warning("record.refused", job=endings[0].job_id, move=move, reason=repr(error)[:500])
        harmless = Ending(
            endings[0].job_id, endings[0].lease_id, error=failure("converter_crashed")
        )
        return _move(seat, Move.FAIL, [harmless], statements[Move.FAIL])


def _move(
    seat: Seat,
    move: Move,
    endings: list[Ending],
    statement: Statement,
) -> dict[UUID, Standing]:
    with seat.single() as session:
        moved = statement(session, endings)
    standings = dict.fromkeys(moved, Standing.MOVED)
    left = [ending for ending in endings if ending.lease_id not in moved]
    if left:
        with seat.single() as session:
            standings |= queue.standing(session, move, left)
    return standings


def _is_poison(error: Exception) -> bool:
    """Tell a value that cannot be stored from a database that cannot be had."""
    if isinstance(error, DataError | IntegrityError):
        return True
    # UnicodeEncodeError and the like come from the driver, wrapped or bare.
    cause = getattr(error, "orig", error)
    return isinstance(cause, ValueError | TypeError) and not is_away(error)
