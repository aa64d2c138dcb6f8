"""What races are about: an upload whose job is running, and what may happen to it."""

import uuid
from uuid import UUID

from sqlalchemy.orm import Session

from app import db, queue
from app.api.deletion import bury
from app.models import Job
from app.queue import Claimed, Ending, Standing
from app.states import Move
from tests import make
from worker import beat


class Case:
    """One upload with one running job of w-1, which has missed four sweeps."""

    def __init__(self, sessions: db.Sessions) -> None:
        self.sessions = sessions
        with sessions.begin() as session:
            make.make_worker(session, "w-1", missed=4)
            make.make_worker(session, "w-2")
            self.upload = make.make_job(session).upload_id
            self.claimed = make.claim_one(session)
        self.success = make.success(self.claimed)
        self.broken = make.breakdown(self.claimed)

    def job(self) -> Job:
        with self.sessions() as session:
            return make.job_of(session, self.upload)

    def finish(self, session: Session) -> Standing:
        moved = queue.succeed(session, [self.success])
        return self._standing(session, moved, Move.SUCCEED, self.success)

    def retry(self, session: Session) -> Standing:
        moved = queue.retry(session, [self.broken], backoff_seconds=0)
        return self._standing(session, moved, Move.RETRY, self.broken)

    def finished(self) -> Standing:
        """Say what the worker learns when it tries to finish now."""
        with self.sessions.begin() as session:
            return self.finish(session)

    def claim(self, session: Session) -> list[Claimed]:
        """Have w-2 claim what there is."""
        rooms, leases = {"misbehave": 1}, [uuid.uuid4()]
        return queue.claim(session, worker="w-2", rooms=rooms, leases=leases)

    def rescue(self, session: Session) -> list[str]:
        return queue.rescue(session, misses=4, backoff_seconds=0)

    def cancel(self, session: Session) -> list[int]:
        queue.lock(session, self.upload)
        return queue.cancel(session, self.upload)

    def release(self, session: Session) -> bool:
        return bool(queue.release(session, [make.ending(self.claimed)]))

    def beat(self, session: Session) -> bool:
        return beat.alive(session, worker="w-1", busy=1, slots=4)

    def delete(self, session: Session) -> bool:
        """Do what the API does for DELETE; False if there is a tombstone already."""
        upload = queue.lock(session, self.upload)
        assert upload is not None
        files = bury(session, upload)
        session.flush()
        return bool(files)

    def again(self, session: Session) -> bool:
        upload = queue.lock(session, self.upload)
        assert upload is not None
        return upload.deleted_at is None and queue.again(session, self.upload, number=1)

    def another(self, session: Session) -> bool:
        upload = queue.lock(session, self.upload)
        assert upload is not None
        if upload.deleted_at is not None:
            return False
        make.make_job(session, upload_id=self.upload)
        return True

    def _standing(self, session: Session, moved: set[UUID], move: Move, ending: Ending) -> Standing:
        if moved:
            return Standing.MOVED
        return queue.standing(session, move, [ending])[ending.lease_id]
