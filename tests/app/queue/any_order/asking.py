"""What people ask for: uploads, another job, an end, a second try; as the API does it."""

from collections.abc import Callable
from datetime import datetime
from random import Random
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app import models, queue, status
from app.states import OPEN, Status, UploadStatus
from tests import make
from tests.app.queue.any_order.model import Job, Upload, each
from tests.app.queue.any_order.stage import KINDS, Stage, seldom

AGAIN = {Status.FAILED, Status.CANCELLED}
GONE = {UploadStatus.DELETED, UploadStatus.EXPIRED}


class Asking(Stage):
    """Each locks the upload's row and looks at it first."""

    def upload(self, dice: Random) -> None:
        kinds = dice.choices(KINDS, k=dice.randint(1, 3))
        most, added = dice.randint(1, 3), Upload()
        made: list[UUID] = []

        def move(session: Session) -> list[int]:
            made.append(make.make_upload(session))
            return [self._enqueue(session, made[0], kind, most, added) for kind in kinds]

        def effect() -> None:
            self.uploads[made[0]] = added

        self.act(
            move,
            expect=list(range(1, len(kinds) + 1)),
            effect=effect,
            hold=seldom(dice),
        )

    def another(self, dice: Random) -> None:
        upload_id, upload = self._some_upload(dice)
        kind, most = dice.choice(KINDS), dice.randint(1, 3)
        added = Upload()

        def effect() -> None:
            upload.jobs += added.jobs
            upload.is_stamped = upload.is_stamped and not added.jobs

        self._ask(
            upload_id,
            lambda session: self._enqueue(session, upload_id, kind, most, added),
            expect=len(upload.jobs) + 1,
            effect=effect,
            hold=seldom(dice),
        )

    def cancel(self, dice: Random) -> None:
        """Cancel one job, or all of an upload."""
        upload_id, upload = self._some_upload(dice)
        job = dice.choice([None, *upload.jobs])
        jobs = [one for one in ([job] if job else upload.jobs) if one.status in OPEN]
        number = job.number if job else None
        self._ask(
            upload_id,
            lambda session: sorted(queue.cancel(session, upload_id, number=number)),
            expect=sorted(one.number for one in jobs),
            effect=lambda: each(jobs, Job.cancel),
            hold=seldom(dice),
            jobs=jobs,
        )

    def again(self, dice: Random) -> None:
        ended = [job for job in self.jobs if job.status in AGAIN and not self._is_gone(job.upload)]
        job = dice.choice(self.jobs if not ended or seldom(dice) else ended)
        upload_id, upload = job.upload, self.uploads[job.upload]
        moves = job.status in AGAIN

        def effect() -> None:
            if moves:
                job.again()
                upload.is_stamped = False

        self._ask(
            upload_id,
            lambda session: queue.again(session, upload_id, number=job.number),
            expect=moves,
            effect=effect,
            hold=seldom(dice),
            jobs=[job] if moves else [],
        )

    def delete(self, dice: Random) -> None:
        upload_id, upload = self._some_upload(dice)
        jobs = [job for job in upload.jobs if job.status in OPEN] if not upload.gone else []

        def move(session: Session) -> bool:
            row = queue.lock(session, upload_id)
            assert row is not None
            if row.deleted_at is not None:
                return False
            queue.cancel(session, upload_id)
            row.name, row.sha256, row.expires_at, row.deleted_at = "", None, None, func.now()
            session.flush()
            return True

        def effect() -> None:
            if not upload.gone:
                each(jobs, Job.cancel)
                upload.gone, upload.is_stamped, upload.is_over = UploadStatus.DELETED, False, False

        hold = seldom(dice)
        self._locking(upload_id, move, expect=not upload.gone, effect=effect, hold=hold, jobs=jobs)

    def _ask(
        self,
        upload_id: UUID,
        change: Callable[[Session], object],
        *,
        expect: object,
        effect: Callable[[], None],
        hold: bool,
        jobs: list[Job] | None = None,
    ) -> None:
        """Make a change unless the upload is gone, as every request does."""

        def move(session: Session) -> object:
            queue.lock(session, upload_id)
            told = status.read(session, [upload_id], keep_seconds=3600, live_seconds=3600)
            return None if told[upload_id].status in GONE else change(session)

        if self._is_gone(upload_id):
            self._locking(upload_id, move, expect=None, effect=lambda: None, hold=hold, jobs=[])
        else:
            self._locking(upload_id, move, expect=expect, effect=effect, hold=hold, jobs=jobs or [])

    def _locking(
        self,
        upload_id: UUID,
        move: Callable[[Session], object],
        *,
        expect: object,
        effect: Callable[[], None],
        hold: bool,
        jobs: list[Job],
    ) -> None:
        ids = {job.id for job in jobs}
        self.act(
            move,
            expect=expect,
            effect=effect,
            hold=hold,
            waits=upload_id in self.locked_uploads or bool(ids & set(self.locked_jobs)),
            jobs=ids,
            uploads=[upload_id],
        )

    def _is_gone(self, upload_id: UUID) -> bool:
        return self.uploads[upload_id].status in GONE

    def _enqueue(
        self, session: Session, upload_id: UUID, kind: str, most: int, added: Upload
    ) -> int:
        number = queue.enqueue(
            session, upload_id, kind=kind, payload=make.PNG_TO_NAP, max_attempts=most
        )
        job_id, run_after = _row(session, upload_id, number)
        added.jobs.append(Job(job_id, upload_id, number, kind, most, run_after))
        return number

    def _some_upload(self, dice: Random) -> tuple[UUID, Upload]:
        return dice.choice(list(self.uploads.items()))


def _row(session: Session, upload_id: UUID, number: int) -> tuple[int, datetime]:
    row = session.execute(
        select(models.Job.id, models.Job.run_after).where(
            models.Job.upload_id == upload_id, models.Job.number == number
        )
    ).one()
    return row[0], row[1]
