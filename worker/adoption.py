"""Finished work is not done again: an outcome is kept on disk, and the next attempt adopts it."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from app.log import get_logger
from app.queue import Claimed, Standing
from app.states import Move
from app.storage import Storage, durable, keys
from worker import kept, product
from worker.cell.result import BadResult
from worker.kept import Unusable
from worker.outcome import Refused
from worker.report import Report

log = get_logger()


def publish(report: Report, place: Path, storage: Storage) -> Report:
    """Publish the result that lies in `place`, and the outcome beside it; both last then."""
    made = {place / product.name(report.job.payload["to"]): _result_key(report.job)}
    storage.publish_all(made | _drafted(report, place))
    return report


def keep(report: Report, place: Path, storage: Storage) -> Report:
    """Keep an outcome that has no result to publish.

    What is kept only saves work: where it cannot be written the outcome is handed in all the same.
    """
    try:
        storage.publish_all(_drafted(report, place))
    except OSError as error:
        log.warning("attempt.not_kept", job=report.job.job_id, reason=repr(error))
    return report


def find(job: Claimed, place: Path, storage: Storage) -> Report | None:
    """Return what an earlier attempt had finished, with the result under this lease's own name.

    A first attempt looks for nothing: it costs the others nothing, and what a person asks for
    once more is done once more.
    """
    if job.attempt == 1:
        return None
    try:
        left = [key for key in storage.results_of(job.upload_id) if _is_earlier(key, job)]
    except OSError as error:  # the conversion will tell what is wrong with the storage
        log.warning("attempt.storage", job=job.job_id, reason=repr(error))
        return None
    for key in left:
        if (earlier := keys.parse_outcome_key(key)) is not None:
            try:
                found = _adopted(job, earlier[2], tuple(left), storage)
            except (Unusable, OSError) as error:
                log.warning("attempt.not_adopted", job=job.job_id, key=key, reason=repr(error))
            else:
                log.info("attempt.adopted", job=job.job_id, attempt=job.attempt, key=key)
                return keep(found, place, storage)
    return None


def tidy(report: Report, standing: Standing, *, storage: Storage) -> None:
    """Delete what nobody needs once an outcome is recorded, or once its lease is found lost.

    Who has lost deletes only what carries its own lease, and not even that while the job waits
    for an attempt that may adopt it. Who has recorded held the lease until then: all that it had
    found before was left by earlier ones.
    """
    done: list[str] = []
    if standing is Standing.LOST:
        done = [_outcome_key(report.job), _result_key(report.job)]
    elif standing is not Standing.WAITING and report.move in {Move.SUCCEED, Move.FAIL}:
        done = [_outcome_key(report.job), *report.left]
    for key in done:
        try:
            storage.remove(key)
        except OSError as error:  # a sweep finds it: its lease is gone and its job will end
            log.warning("attempt.storage", job=report.job.job_id, reason=repr(error))


def _drafted(report: Report, place: Path) -> dict[Path, str]:
    draft = place / uuid4().hex  # a name that no cell can have taken
    try:
        draft.write_text(kept.written(report), "ascii")
        durable.sync_file(draft)  # here, where a full disk costs the draft and not the result
    except OSError as error:
        log.warning("attempt.not_kept", job=report.job.job_id, reason=repr(error))
        return {}
    return {draft: _outcome_key(report.job)}


def _adopted(job: Claimed, lease: UUID, left: tuple[str, ...], storage: Storage) -> Report:
    key = keys.outcome_key(job.upload_id, job.number, lease)
    content = storage.read(key, most_bytes=kept.MOST_BYTES)
    outcome, told = kept.understood(content, job, lease)
    if isinstance(outcome, Refused):
        return Report(job, outcome, adopted=lease, left=left)
    _link(job, lease, told, storage)
    result = {"storage_key": _result_key(job), **told, "facts": outcome.facts}
    return Report(job, outcome, result, adopted=lease, left=left)


def _link(job: Claimed, lease: UUID, told: dict[str, Any], storage: Storage) -> None:
    """Give the earlier result a name of ours and look at it under that name.

    Whoever made it may be alive, find its lease lost and delete its own name at any time.
    """
    mine = _result_key(job)
    storage.link(keys.result_key(job.upload_id, job.number, lease), mine)
    try:
        _compare(storage.path(mine), told)
    except (Unusable, OSError):
        storage.remove(mine)
        raise


def _compare(published: Path, told: dict[str, Any]) -> None:
    try:
        made = product.described(published, told["format"])
    except BadResult as bad:
        raise Unusable(bad.log) from bad
    if made != told:
        raise Unusable("the result is not the one that the outcome tells of")


def _is_earlier(key: str, job: Claimed) -> bool:
    attempt = keys.parse_result_key(key) or keys.parse_outcome_key(key)
    return attempt is not None and attempt[1] == job.number  # of this lease there is nothing yet


def _result_key(job: Claimed) -> str:
    return keys.result_key(job.upload_id, job.number, job.lease_id)


def _outcome_key(job: Claimed) -> str:
    return keys.outcome_key(job.upload_id, job.number, job.lease_id)
