"""What the log says of an attempt that has ended."""

import time

from app.log import get_logger
from app.queue import Standing
from app.states import Move
from worker.slots import Running

log = get_logger()
_EVENTS = {
    Move.SUCCEED: "job.succeeded",
    Move.FAIL: "job.refused",
    Move.RETRY: "job.broken",
    Move.RELEASE: "job.released",
}


def tell(running: Running, standing: Standing) -> None:
    """Log what became of one outcome: one line, for operators."""
    report = running.report
    if report is None:
        return
    fields: dict[str, object] = {
        "job": running.job.job_id,
        "upload": str(running.job.upload_id),
        "number": running.job.number,
        "attempt": running.job.attempt,
        "seconds": round(time.monotonic() - running.begun, 3),
    }
    if standing in {Standing.LOST, Standing.WAITING}:
        log.info("job.lost", move=report.move, **fields)
        return
    error = report.ending.error
    if error is not None:
        fields["code"] = error["code"]
        fields["log"] = getattr(report.outcome, "log", "")[:2000]
    log.info(_EVENTS[report.move], **fields)
