"""What only a newer release can do is left to it, while two of them run side by side."""

from app.log import get_logger
from app.queue import Claimed
from worker.attempt import Control, family_of
from worker.offers import pair
from worker.outcome import Interrupted
from worker.report import HandIn, Report
from worker.slots import Work

log = get_logger()


def leaving_alone(work: Work, lacking: set[str]) -> Work:
    """Return work that gives a job of a pair that nobody here has heard of back, uncharged.

    The pair is added to `lacking` before that, so that no claim that follows takes such a job.
    """

    def attempt(job: Claimed, control: Control, hand_in: HandIn) -> None:
        if family_of(job) is not None:
            work(job, control, hand_in)
            return
        unknown = pair(job.kind, job.payload["from"], job.payload["to"])
        lacking.add(unknown)
        log.warning("job.left_alone", job=job.job_id, pair=unknown)
        hand_in(Report(job, Interrupted()))

    return attempt
