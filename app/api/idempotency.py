"""Idempotency-Key: a client that asks again because an answer was lost makes nothing twice."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
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
LATE = "+"
Fields = Mapping[str, Sequence[str]]
_PRINTABLE = re.compile(r"[\x21-\x7e]+", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """What a request may do: make an upload under its key, or repeat the answer about `upload_id`.

    Without a key everything goes, and `settle` does nothing. `manage` is the token of the upload,
    the same whenever the answer is repeated. `form` is the imprint of the form that made it, if it
    was one.
    """

    manage: str = field(repr=False)
    secret: str = field(default="", repr=False)
    fingerprint: str = ""
    scope: str = ANONYMOUS
    digest: str | None = None
    holder: UUID | None = None
    upload_id: UUID | None = None
    form: str | None = None

    def settle(self, session: Session, upload_id: UUID, *, form: str | None = None) -> None:
        """Bind the key in the transaction that makes the upload; a Problem if it was taken over."""
        if self.digest is None:
            return
        fingerprint = self.fingerprint if form is None else f"{self.fingerprint}.{form}"
        values = {"upload_id": upload_id, "fingerprint": fingerprint}
        bound = update(Key).where(*self.ours()).values(values).returning(Key.digest)
        if session.scalar(bound) is None:
            raise Problem("key_in_use")

    def imprint(self, name: str, fields: Fields, *, is_late: bool) -> str:
        """Return what stands for the fields of a form and the name of its file.

        `is_late`: fields stood after the file, so that whoever compares has to read to the end.
        """
        return self.sealed([name, sorted(fields.items())]) + (LATE if is_late else "")

    def sealed(self, facts: Any) -> str:
        """Return what stands for facts in the row of the key.

        The key goes in, so that nobody who reads the rows can try out passwords on them. Facts
        are texts and numbers: what an object calls itself changes with the next release.
        """
        told = json.dumps(facts).encode("utf-8", "surrogatepass")
        return hmac.digest(self.secret.encode(), told, "sha256").hex()

    @property
    def is_late(self) -> bool:
        return self.form is not None and self.form.endswith(LATE)

    def ours(self) -> tuple[ColumnElement[bool], ...]:
        """Match the row of the key as long as this request has it."""
        return Key.scope == self.scope, Key.digest == self.digest, Key.holder == self.holder


@asynccontextmanager
async def reserved(parts: Parts, request: Request, *facts: Any) -> AsyncIterator[Reservation]:
    """Hold the request's key, if it has one, until its answer is made.

    `facts` are what makes this request this one; others under the same key are refused. If
    nothing comes of it the key is free again, unless nobody knows what came of it.
    """
    given = request.headers.getlist("idempotency-key")
    if not given:
        yield Reservation(manage=owners.new_secret())
        return
    scope = owners.owner_of(request) or ANONYMOUS
    key = _checked(", ".join(given), scope=scope)  # of two lines neither is the key
    mine = _reservation(key, scope, cookie=request.cookies.get(owners.COOKIE, ""))
    mine = replace(mine, fingerprint=mine.sealed([request.method, request.url.path, *facts]))
    held = await parts.database.run(lambda sessions: _reserve(sessions, mine))
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


def _checked(given: str, *, scope: str) -> str:
    """Return the key; quotes, which the standard's draft wants, do not count."""
    key = given.strip()
    key = key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key
    least = LEAST_CHARACTERS if scope == ANONYMOUS else 1
    if not least <= len(key) <= MOST_CHARACTERS or not _PRINTABLE.fullmatch(key):
        raise Problem(
            "bad_key",
            f"An Idempotency-Key has {least} to {MOST_CHARACTERS} printable ASCII "
            f"characters without spaces; this one has {len(key)}.",
        )
    if scope == ANONYMOUS and not _is_strong(key):
        raise Problem("bad_key", "The Idempotency-Key can be guessed: it hardly varies.")
    return key


def _is_strong(key: str) -> bool:
    return len(key) >= LEAST_CHARACTERS and len(set(key)) >= LEAST_DIFFERENT


def _reservation(key: str, scope: str, *, cookie: str) -> Reservation:
    """Begin with what the client alone knows: a key that can be guessed counts with its cookie."""
    secret, holder = key if _is_strong(key) else f"{key} {cookie}", uuid4()
    return Reservation(
        manage=_token(secret, holder),
        secret=secret,
        scope=scope,
        digest=_digest(key),
        holder=holder,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _token(secret: str, holder: UUID) -> str:
    """Make a token of what the client alone knows and what the row alone knows.

    So it need not be kept to be told again, and whoever guesses a key gains nothing by it.
    """
    made = hmac.digest(secret.encode(), holder.bytes, "sha256")
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def _reserve(sessions: Sessions, mine: Reservation) -> Reservation:
    scope, digest = mine.scope, mine.digest
    values = {
        "fingerprint": mine.fingerprint,
        "holder": mine.holder,
        "held_until": func.now() + db.seconds(HOLD_SECONDS),
        "expires_at": func.now() + db.seconds(KEEP_SECONDS),
        "upload_id": None,
    }
    where = (Key.scope == scope, Key.digest == digest)
    with sessions.begin() as session:
        _forget_old(session)
        fresh = insert(Key).values(scope=scope, digest=digest, **values).on_conflict_do_nothing()
        if session.scalar(fresh.returning(Key.digest)) is not None:
            return mine
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
            fingerprint, _, form = told.partition(".")
            if fingerprint != mine.fingerprint:
                raise Problem("key_reused")
            if upload_id is not None:
                manage = _token(mine.secret, holder)
                return replace(mine, upload_id=upload_id, manage=manage, form=form or None)
            if is_held:
                raise Problem("key_in_use", headers={"Retry-After": "1"})
        session.execute(update(Key).where(*where).values(values))
    return mine


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
