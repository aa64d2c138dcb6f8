"""Idempotency-Key: a client that asks again because an answer was lost makes no second upload."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session
from starlette.requests import Request

from app import db
from app.api import owners
from app.api.database import DatabaseAway, NotOpen
from app.api.errors import Problem
from app.api.parts import Parts
from app.db import Sessions
from app.models import IdempotencyKey as Key

# Without a cookie nobody can say whose a key is: it is as good as its secrecy, so it is long.
ANONYMOUS = "anonymous"
LEAST_CHARACTERS = 22  # 128 bits, six to a character
MOST_CHARACTERS = 255
LEAST_DIFFERENT = 8
KEEP_SECONDS = 86400.0
HOLD_SECONDS = 30.0
RENEW_SECONDS = 10.0
MOST_OLD = 100
_PRINTABLE = re.compile(r"[\x21-\x7e]+", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """What a request may do: make an upload under its key, or repeat the answer about `upload_id`.

    Without a key everything goes, and `settle` does nothing. `manage` is the token of the upload,
    the same whenever the answer is repeated.
    """

    manage: str = field(repr=False)
    scope: str = ANONYMOUS
    digest: str | None = None
    holder: UUID | None = None
    upload_id: UUID | None = None

    def settle(self, session: Session, upload_id: UUID) -> None:
        """Bind the key in the transaction that makes the upload; a Problem if it was taken over."""
        if self.digest is None:
            return
        bound = update(Key).where(*self.ours()).values(upload_id=upload_id).returning(Key.digest)
        if session.scalar(bound) is None:
            raise Problem("key_in_use")

    def ours(self) -> tuple[ColumnElement[bool], ...]:
        """Match the row of the key as long as this request has it."""
        return Key.scope == self.scope, Key.digest == self.digest, Key.holder == self.holder


@asynccontextmanager
async def reserved(parts: Parts, request: Request, *facts: Any) -> AsyncIterator[Reservation]:
    """Hold the request's key, if it has one, until its answer is made.

    `facts` are what makes this request this one; others under the same key are refused. If
    nothing comes of it the key is free again, unless nobody knows what came of it.
    """
    given = request.headers.get("idempotency-key")
    if given is None:
        yield Reservation(manage=owners.new_secret())
        return
    key, scope = _checked(given), owners.owner_of(request) or ANONYMOUS
    fingerprint = _digest(json.dumps([request.method, request.url.path, *facts], default=str))
    held = await parts.database.run(lambda sessions: _reserve(sessions, scope, key, fingerprint))
    if held.upload_id is not None:
        yield held
        return
    renewing = asyncio.ensure_future(_renew(parts, held))
    try:
        yield held
    except Exception as error:
        if not (isinstance(error, Problem) and error.code == "not_recorded"):
            with contextlib.suppress(DatabaseAway, NotOpen):  # then its time runs out by itself
                await parts.database.run(lambda sessions: _free(sessions, held))
        raise
    finally:
        renewing.cancel()


def _checked(given: str) -> str:
    """Return the key; quotes, which the standard's draft wants, do not count."""
    key = given.strip()
    key = key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key
    if not LEAST_CHARACTERS <= len(key) <= MOST_CHARACTERS or not _PRINTABLE.fullmatch(key):
        raise Problem(
            "bad_key",
            f"An Idempotency-Key has {LEAST_CHARACTERS} to {MOST_CHARACTERS} printable ASCII "
            f"characters without spaces; this one has {len(key)}.",
        )
    if len(set(key)) < LEAST_DIFFERENT:
        raise Problem("bad_key", "The Idempotency-Key can be guessed: it hardly varies.")
    return key


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _token(key: str, holder: UUID) -> str:
    """Make a token of what the client alone knows and what the row alone knows.

    So it need not be kept to be told again, and whoever guesses a key gains nothing by it.
    """
    made = hmac.digest(key.encode(), holder.bytes, "sha256")
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def _reserve(sessions: Sessions, scope: str, key: str, fingerprint: str) -> Reservation:
    mine, digest = uuid4(), _digest(key)
    reservation = Reservation(scope=scope, digest=digest, holder=mine, manage=_token(key, mine))
    values = {
        "fingerprint": fingerprint,
        "holder": mine,
        "held_until": func.now() + db.seconds(HOLD_SECONDS),
        "expires_at": func.now() + db.seconds(KEEP_SECONDS),
        "upload_id": None,
    }
    where = (Key.scope == scope, Key.digest == digest)
    with sessions.begin() as session:
        _forget_old(session)
        fresh = insert(Key).values(scope=scope, digest=digest, **values).on_conflict_do_nothing()
        if session.scalar(fresh.returning(Key.digest)) is not None:
            return reservation
        over, held = (Key.expires_at <= func.now()), (Key.held_until > func.now())
        found = session.execute(
            select(Key.fingerprint, Key.upload_id, Key.holder, over, held)
            .where(*where)
            .with_for_update()
        ).first()
        if found is None:  # given up at this very moment
            raise Problem("key_in_use", headers={"Retry-After": "1"})
        told, upload_id, holder, is_over, is_held = found
        if not is_over:
            if told != fingerprint:
                raise Problem("key_reused")
            if upload_id is not None:
                return replace(reservation, upload_id=upload_id, manage=_token(key, holder))
            if is_held:
                raise Problem("key_in_use", headers={"Retry-After": "1"})
        session.execute(update(Key).where(*where).values(values))
    return reservation


def _forget_old(session: Session) -> None:
    """Delete some keys whose time is over; those that are looked at by others are left."""
    old = (
        select(Key.scope, Key.digest)
        .where(Key.expires_at <= func.now())
        .order_by(Key.expires_at)
        .limit(MOST_OLD)
        .with_for_update(skip_locked=True)
    )
    session.execute(delete(Key).where(tuple_(Key.scope, Key.digest).in_(old)))


async def _renew(parts: Parts, held: Reservation) -> None:
    while True:
        await asyncio.sleep(RENEW_SECONDS)
        with contextlib.suppress(DatabaseAway, NotOpen):
            await parts.database.run(lambda sessions: _hold(sessions, held))


def _hold(sessions: Sessions, held: Reservation) -> None:
    with sessions.begin() as session:
        longer = func.now() + db.seconds(HOLD_SECONDS)
        session.execute(update(Key).where(*held.ours()).values(held_until=longer))


def _free(sessions: Sessions, held: Reservation) -> None:
    with sessions.begin() as session:
        session.execute(delete(Key).where(*held.ours(), Key.upload_id.is_(None)))
