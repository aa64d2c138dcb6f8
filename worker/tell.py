"""What the log says of an attempt that has ended."""

from app.log import get_logger
from app.queue import Standing
from app.states import Move
from worker.report import Report

log = get_logger()
_EVENTS = {
    Move.SUCCEED: "job.succeeded",
    Move.FAIL: "job.refused",
    Move.RETRY: "job.broken",
    Move.RELEASE: "job.released",
}


def tell(report: Report, standing: Standing, *, seconds: float) -> None:
    """Log what became of one outcome of an attempt that took so long: one line, for operators."""
    fields: dict[str, object] = {
        "job": report.job.job_id,
        "upload": str(report.job.upload_id),
        "number": report.job.number,
        "attempt": report.job.attempt,
        "seconds": round(seconds, 3),
    }
    if standing in {Standing.LOST, Standing.WAITING}:
        log.info("job.lost", move=report.move, **fields)
        return
    error = report.ending.error
    if error is not None:
        fields["code"] = error["code"]
        fields["log"] = getattr(report.outcome, "log", "")[:2000]
    log.info(_EVENTS[report.move], **fields)
