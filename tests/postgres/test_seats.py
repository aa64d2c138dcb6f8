"""The facts about seats and connections that Rowmill rests on, tried on real servers."""

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg2
import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import DetachedInstanceError

from app.models import House
from tests.postgres import VERSIONS, Server


@pytest.fixture(params=sorted(VERSIONS))
def stock(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server of its own, because all its seats are taken."""
    server = Server(VERSIONS[request.param])
    try:
        yield server
    finally:
        server.stop()


def test_an_ordinary_role_gets_97_of_100_seats_and_then_this_error(stock: Server) -> None:
    with stock.connect() as owner:
        owner.cursor().execute("CREATE ROLE ordinary LOGIN")
    owner.close()
    with ExitStack() as seats:
        for _ in range(97):
            seat = psycopg2.connect(
                host="127.0.0.1", port=stock.port, user="ordinary", dbname="postgres"
            )
            seats.callback(seat.close)
        with pytest.raises(psycopg2.OperationalError) as refused:
            psycopg2.connect(host="127.0.0.1", port=stock.port, user="ordinary", dbname="postgres")
    assert "remaining connection slots are reserved for" in str(refused.value)
    assert "FATAL" in str(refused.value)


@pytest.mark.parametrize("pre_ping", [False, True])
def test_a_dead_pooled_connection_is_seen_before_use_only_with_pre_ping(
    database_url: str, *, pre_ping: bool
) -> None:
    engine = create_engine(database_url, pool_pre_ping=pre_ping)
    with engine.connect() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
    with create_engine(database_url).connect() as other:
        other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
    if pre_ping:
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 1")) == 1
    else:
        with pytest.raises(OperationalError) as raised, engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        assert raised.value.connection_invalidated
    engine.dispose()


def test_what_detaches_an_object_is_expiry_and_not_the_end_of_its_session(
    database_url: str,
) -> None:
    engine = create_engine(database_url)
    with Session(engine) as session:
        kept = session.scalars(select(House)).one()
        session.commit()
    with pytest.raises(DetachedInstanceError):
        _ = kept.id
    with Session(engine, expire_on_commit=False) as session:
        whole = session.scalars(select(House)).one()
        session.commit()
    assert whole.id is not None
    engine.dispose()
