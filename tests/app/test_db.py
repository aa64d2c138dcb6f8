"""What a lost connection looks like, and that every transaction is limited."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from app import db


def test_every_transaction_has_limits(sessions: db.Sessions) -> None:
    with sessions.begin() as session:
        shown = session.scalar(
            text("SELECT current_setting('idle_in_transaction_session_timeout')")
        )
    assert shown == "10s"


def test_a_backend_that_dies_before_the_first_message_is_away(engine: Engine) -> None:
    """The limits are that message; what fails there must be known for what it is."""
    with engine.connect() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.rollback()
        with engine.begin() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        with pytest.raises(DBAPIError) as raised:
            connection.execute(text("SELECT 1"))
    assert db.is_away(raised.value)


def test_an_error_shows_no_parameters(sessions: db.Sessions) -> None:
    with pytest.raises(DBAPIError) as raised, sessions.begin() as session:
        session.execute(text("SELECT 1 / :zero, :name"), {"zero": 0, "name": "secret.pdf"})
    assert "secret.pdf" not in str(raised.value)


def test_a_syntax_error_is_no_absence(sessions: db.Sessions) -> None:
    with pytest.raises(DBAPIError) as raised, sessions.begin() as session:
        session.execute(text("SELEC"))
    assert not db.is_away(raised.value)
