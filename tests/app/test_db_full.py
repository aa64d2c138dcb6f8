"""A full disk of the database is known by its code, or by the last words of a server."""

import os

import psycopg2
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError

from app import db
from tests.postgres import Server

REFUSAL = "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"


def refusal(sessions: db.Sessions, statement: str) -> DBAPIError:
    with pytest.raises(DBAPIError) as raised, sessions.begin() as session:
        session.execute(text(statement))
    return raised.value


@pytest.mark.parametrize("code", ["53000", "53100", "53200", "53400"])
def test_what_the_server_is_short_of_now_it_may_have_later(
    sessions: db.Sessions, code: str
) -> None:
    error = refusal(sessions, REFUSAL.format(code=code))
    assert db.is_away(error)
    assert db.is_full(error) == (code == "53100")
    assert db.is_refused(error)


def test_another_refusal_is_no_full_disk(sessions: db.Sessions) -> None:
    assert not db.is_full(refusal(sessions, "SELECT 1 / 0"))


def test_the_last_words_of_a_server_tell_and_settle_nothing() -> None:
    words = f'PANIC:  could not write to file "pg_wal/xlogtemp.1": {os.strerror(28)}'
    error = OperationalError("COMMIT", {}, psycopg2.OperationalError(words))
    assert db.is_full(error)
    assert not db.is_refused(error)


def test_a_session_that_was_ended_may_have_done_it_before(
    postgres: Server, sessions: db.Sessions
) -> None:
    error = refusal(sessions, "SELECT pg_terminate_backend(pg_backend_pid())")
    assert db.is_away(error)
    assert not db.is_refused(error)
